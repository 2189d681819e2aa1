// SPDX-License-Identifier: MIT
// A loop takes one lock and then another, or tries it, and main tries them in the other order. It
// may find both held, but in two rounds: where it has found the second, the first has been let go
// in that round.
//
// case: two_locks
// expect: all=violated:assertion at=both
//
// case: two_locks_of_which_one_is_tried
// flags: -DTRIES
// expect: all=violated:assertion at=both
//
// case: one_within_the_other
// flags: -DNESTED
// expect: all=violated:assertion at=both
//
// case: only_once
// An attempt that fails has not synchronised: under C++ the next may find an older state.
// flags: -DONCE
// expect: c++20=violated:assertion x86=holds sc=holds
//
// case: in_the_same_order_once
// flags: -DONCE -DSAME_ORDER
// expect: all=violated:assertion at=both
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

std::mutex first, second;
std::atomic<bool> ended;

void make_round() {
#ifdef NESTED
  std::lock_guard outer(first);
  std::lock_guard inner(second);
#elif defined(TRIES)
  { std::lock_guard lock(first); }
  if (second.try_lock()) second.unlock();
#else
  { std::lock_guard lock(first); }
  { std::lock_guard lock(second); }
#endif
}

bool is_held(std::mutex& lock) {
  if (!lock.try_lock()) return true;
  lock.unlock();
  return false;
}

int main() {
  std::thread poller([] {
#ifdef ONCE
    make_round();
#else
    while (!ended) make_round();
#endif
  });
#ifdef SAME_ORDER
  const bool one = is_held(first);
  const bool other = is_held(second);
#else
  const bool one = is_held(second);
  const bool other = is_held(first);
#endif
  ended = true;
  poller.join();
  assert(!one || !other);  // @both
}
