// SPDX-License-Identifier: MIT
// Somebody polls a flag under a lock, in rounds that change nothing; and somebody counts how often
// he finds that lock held. Each attempt may meet another round, so all may fail, but no more than
// there are. Between two attempts the lock is taken, so that none meets the round of the other.
//
// case: both_attempts_at_a_mutex
// flags: -DLIMIT=2
// expect: all=violated:assertion c++14=violated:assertion at=limit
//
// case: no_more_than_both
// flags: -DLIMIT=3
// expect: all=holds c++14=holds
//
// case: three_attempts
// flags: -DTRIES=3 -DLIMIT=3
// expect: all=violated:assertion at=limit
//
// case: no_more_than_three
// flags: -DTRIES=3 -DLIMIT=4
// expect: all=holds
//
// case: compiled_by_clang
// options: --cc clang-14
// flags: -DLIMIT=2
// expect: all=violated:assertion at=limit
//
// case: a_recursive_mutex
// flags: -DLOCK=std::recursive_mutex -DLIMIT=2
// expect: all=violated:assertion at=limit
//
// case: no_more_than_both_at_a_recursive_mutex
// flags: -DLOCK=std::recursive_mutex -DLIMIT=3
// expect: all=holds
//
// case: a_timed_mutex
// flags: -DLOCK=std::timed_mutex -DLIMIT=2
// expect: all=violated:assertion at=limit
//
// case: one_with_a_time_limit
// options: --timeouts
// flags: -DLOCK=std::timed_mutex -DLIMIT=2 -DTIMED
// expect: all=violated:assertion at=limit
//
// case: no_more_than_one_with_a_time_limit_and_one_without
// options: --timeouts
// flags: -DLOCK=std::timed_mutex -DLIMIT=3 -DTIMED
// expect: all=holds
//
// case: a_shared_mutex_that_is_written
// flags: -DLOCK=std::shared_mutex -DLIMIT=2
// expect: all=violated:assertion at=limit
//
// case: a_shared_mutex_that_is_read
// flags: -DLOCK=std::shared_mutex -DPOLLED=std::shared_lock -DLIMIT=2
// expect: all=violated:assertion at=limit
//
// case: no_more_than_both_at_a_shared_mutex
// flags: -DLOCK=std::shared_mutex -DPOLLED=std::shared_lock -DLIMIT=3
// expect: all=holds
//
// case: attempts_to_read
// flags: -DLOCK=std::shared_mutex -DTRY=try_lock_shared -DUNLOCK=unlock_shared -DLIMIT=2
// expect: all=violated:assertion at=limit
//
// case: attempts_to_read_what_is_read_succeed
// flags: -DLOCK=std::shared_mutex -DPOLLED=std::shared_lock -DTRY=try_lock_shared
// flags: -DUNLOCK=unlock_shared -DLIMIT=1
// expect: all=holds
//
// case: by_an_attempt_in_each_round
// flags: -DBY_TRYING -DLIMIT=2
// expect: all=violated:assertion at=limit
//
// case: with_an_atomic_flag_as_well
// flags: -DTWO_FLAGS -DLIMIT=2
// expect: all=violated:assertion at=limit
//
// case: no_more_than_both_with_an_atomic_flag_as_well
// flags: -DTWO_FLAGS -DLIMIT=3
// expect: all=holds
#include <atomic>
#include <cassert>
#include <chrono>
#include <mutex>
#include <shared_mutex>
#include <thread>

#ifndef LOCK
#define LOCK std::mutex
#endif
#ifndef POLLED
#define POLLED std::unique_lock
#endif
#ifndef TRY
#define TRY try_lock
#define UNLOCK unlock
#endif
#ifndef TRIES
#define TRIES 2
#endif

static LOCK lock;
static bool ready = false;
static std::atomic<bool> soon{false};

static bool poll() {
#ifdef TWO_FLAGS
  if (soon) return true;
#endif
#ifdef BY_TRYING
  const POLLED held(lock, std::try_to_lock);
  return held && ready;
#else
  const POLLED held(lock);
  return ready;
#endif
}

int main() {
  std::thread poller([] {
    while (!poll()) {
    }
  });
  int failed = 0;
  for (int i = 0; i < TRIES; i++) {
#ifdef TIMED
    const bool got = i == 0 ? lock.try_lock_for(std::chrono::seconds(1)) : lock.TRY();
#else
    const bool got = lock.TRY();
#endif
    if (got) {
      lock.UNLOCK();
    } else {
      failed++;
    }
    const std::unique_lock between(lock);
  }
  {
    const std::unique_lock held(lock);
    ready = true;
  }
  soon = true;
  poller.join();
  assert(failed < LIMIT);  // @limit
}
