// SPDX-License-Identifier: MIT
// What POSIX's locks answer with an error, or allow, and the standard forbids of the C++ library's
// classes around them: their preconditions. glibc does what one would expect.
//
// case: tries_a_mutex_that_it_holds
// flags: -DTRIES=std::mutex
// expect: all=violated:memory at=HERE says="tries to lock a mutex that it holds"
//
// case: tries_a_timed_mutex_that_it_holds
// flags: -DTRIES=std::timed_mutex
// expect: all=violated:memory at=HERE
//
// Not told: docs/checker/limits.md.
// case: tries_for_a_time_what_it_holds
// flags: -DFOR_A_TIME
// options: --timeouts
// expect: all=holds
//
// case: as_written
// flags: -DTRIES=std::mutex
// options: --library-as-written
// expect: all=holds
//
// case: tries_a_recursive_mutex_that_it_holds
// flags: -DTRIES=std::recursive_mutex
// expect: all=holds
//
// case: tries_what_another_thread_holds
// flags: -DOTHER
// expect: all=holds
//
// case: reads_twice
// flags: -DTWICE=lock_shared
// expect: all=violated:memory at=HERE says="locks a shared mutex that it holds"
//
// case: tries_to_read_twice
// flags: -DTWICE=try_lock_shared
// expect: all=violated:memory at=HERE
//
// case: tries_to_write_while_it_reads
// flags: -DTWICE=try_lock
// expect: all=violated:memory at=HERE
//
// case: reads_twice_by_a_timed_one
// flags: -DTWICE=lock_shared -DKIND=std::shared_timed_mutex
// expect: all=violated:memory at=HERE
//
// case: unlocks_as_a_writer
// flags: -DLOCK=lock_shared -DUNLOCK=unlock
// expect: all=violated:memory at=HERE says="calls unlock of a shared mutex that it holds shared"
//
// case: unlocks_as_a_reader
// flags: -DLOCK=lock -DUNLOCK=unlock_shared
// expect: all=violated:memory at=HERE says="calls unlock_shared of a shared mutex that it holds exclusively"
//
// case: unlocks_as_it_should
// flags: -DLOCK=lock_shared -DUNLOCK=unlock_shared
// expect: all=holds
//
// case: writes_and_reads
// flags: -DGUARDS
// expect: all=holds
#include <chrono>
#include <mutex>
#include <shared_mutex>
#include <thread>

#ifndef KIND
#define KIND std::shared_mutex
#endif

int main() {
#if defined(TRIES)
  TRIES lock;
  lock.lock();
  const bool again = lock.try_lock();  // @HERE
  if (again) lock.unlock();
  lock.unlock();
#elif defined(FOR_A_TIME)
  std::timed_mutex lock;
  lock.lock();
  if (lock.try_lock_for(std::chrono::milliseconds(1))) return 1;
  lock.unlock();
#elif defined(OTHER)
  static std::mutex lock;
  static int count = 0;
  const auto tries = [] {
    for (int i = 0; i < 2; ++i) {
      if (!lock.try_lock()) continue;
      ++count;
      lock.unlock();
    }
  };
  std::thread other(tries);
  tries();
  other.join();
#elif defined(TWICE)
  static KIND lock;
  lock.lock_shared();
  lock.TWICE();  // @HERE
  lock.unlock_shared();
  lock.unlock_shared();
#elif defined(LOCK)
  static KIND lock;
  lock.LOCK();
  lock.UNLOCK();  // @HERE
#else
  static KIND lock;
  static int count = 0;
  std::thread writes([] {
    std::unique_lock held(lock);
    ++count;
    held.unlock();
    if (held.try_lock()) ++count;
  });
  {
    std::shared_lock held(lock);
    if (count > 2) return 1;
  }
  std::shared_lock again(lock, std::try_to_lock);
  std::shared_lock moved(std::move(again));
  if (moved.owns_lock() && count > 2) return 1;
  if (moved.owns_lock()) moved.unlock();
  writes.join();
#endif
}
