// SPDX-License-Identifier: MIT
// Somebody polls a flag under two locks, in rounds that change nothing; somebody else tries these
// locks, each in its turn, and counts how often it finds one held. Between two attempts a lock is
// taken, so that each attempt may meet a round of its own, and a round that is there for the sake
// of one lock is none that the attempt at the other has met.
//
// case: both_attempts
// flags: -DLIMIT=2
// expect: all=violated:assertion c++14=violated:assertion at=limit
//
// case: no_more_than_both
// flags: -DLIMIT=3
// expect: all=holds c++14=holds
//
// case: three_attempts
// flags: -DTHIRD -DLIMIT=3
// expect: all=violated:assertion at=limit
//
// case: no_more_than_three
// flags: -DTHIRD -DLIMIT=4
// expect: all=holds
//
// case: compiled_by_clang
// options: --cc clang-14
// flags: -DLIMIT=2
// expect: all=violated:assertion at=limit
//
// case: the_second_loop_takes_both
// flags: -DTWO_LOOPS=1 -DLIMIT=2
// expect: all=violated:assertion at=limit
//
// case: no_more_than_both_where_the_second_loop_takes_both
// flags: -DTWO_LOOPS=1 -DLIMIT=3
// expect: all=holds
//
// case: the_first_loop_takes_both
// flags: -DTWO_LOOPS=2 -DLIMIT=2
// expect: all=violated:assertion at=limit
//
// case: no_more_than_both_where_the_first_loop_takes_both
// flags: -DTWO_LOOPS=2 -DLIMIT=3
// expect: all=holds
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

static std::mutex one;
static std::mutex two;
static bool first = false;
static bool ready = false;
#ifdef TWO_LOOPS
static std::atomic<bool> passed{false};
#endif

static bool poll(const bool& flag) {
  std::lock_guard a(one);
  std::lock_guard b(two);
  return flag;
}

#ifdef TWO_LOOPS
static bool poll_with_one(const bool& flag, std::mutex& lock) {
  std::lock_guard b(lock);
  return flag;
}
#endif

static int try_it(std::mutex& lock) {
  if (!lock.try_lock()) return 1;
  lock.unlock();
  return 0;
}

int main() {
  std::thread polls([] {
#if defined(TWO_LOOPS) && TWO_LOOPS == 1
    while (!poll_with_one(first, two)) {
    }
    while (!poll(ready)) {
    }
#elif defined(TWO_LOOPS)
    while (!poll(first)) {
    }
    passed = true;
    while (!poll_with_one(ready, one)) {
    }
#else
    while (!poll(ready)) {
    }
#endif
  });
  int failed = try_it(two);
  {
    std::lock_guard a(one);
    std::lock_guard b(two);
    first = true;
  }
#ifdef TWO_LOOPS
  while (TWO_LOOPS == 2 && !passed) {
  }
#endif
  failed += try_it(one);
#ifdef THIRD
  { std::lock_guard a(one); }
  failed += try_it(two);
#endif
  {
    std::lock_guard a(one);
    std::lock_guard b(two);
    ready = true;
  }
  polls.join();
  assert(failed < LIMIT);  // @limit
}
