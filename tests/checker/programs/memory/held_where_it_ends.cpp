// SPDX-License-Identifier: MIT
// A lock is a local variable, and its scope ends while somebody holds it. The standard says of each
// of the library's locks that its destruction then is undefined, and POSIX says so of a lock's
// memory.
//
// case: mutex
// expect: all=violated:memory at=ENDS says="T1 leaves the scope of the mutex lock, which T1 holds"
//
// case: mutex_that_another_thread_holds
// flags: -DOTHER
// expect: all=violated:memory says="which T1 holds"
//
// case: in_a_struct
// flags: -DKIND=with_data
// expect: all=violated:memory at=ENDS
//
// case: recursive_mutex
// flags: -DKIND=std::recursive_mutex
// expect: all=violated:memory at=ENDS
//
// case: timed_mutex
// flags: -DKIND=std::timed_mutex
// expect: all=violated:memory at=ENDS
//
// case: shared_mutex
// flags: -DKIND=std::shared_mutex
// expect: all=violated:memory at=ENDS
//
// case: left_by_an_exception
// flags: -DTHROWS
// expect: all=violated:memory
//
// Not told: docs/checker/limits.md.
// case: left_by_an_exception_with_clang
// flags: -DTHROWS
// options: --cc clang-14
// expect: all=holds
//
// The process may end with it.
// case: of_main_alone
// flags: -DMAIN
// expect: all=holds
//
// case: of_main_alone_again
// flags: -DMAIN -DJOINED
// expect: all=holds
//
// case: of_main_beside_another_thread
// flags: -DMAIN -DBESIDE
// expect: all=violated:memory at=ENDS
//
// case: unlocked_again
// flags: -DUNLOCKED
// expect: all=holds
//
// The same place of the stack is a lock each time.
// case: one_after_the_other
// flags: -DUNLOCKED -DAGAIN
// expect: all=holds
//
// case: held_beyond_another_variable
// flags: -DBEYOND
// expect: all=holds
#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <thread>

struct with_data : std::mutex {
  long data[3] = {};
};

#ifndef KIND
#define KIND std::mutex
#endif

void holds_it() {
  KIND lock;  // @ENDS
  lock.lock();
#ifdef UNLOCKED
  lock.unlock();
#endif
#ifdef THROWS
  throw std::runtime_error("held");
#endif
}  // @ENDS

void another_thread_holds_it() {
  std::mutex lock;
  std::thread holder([&] { lock.lock(); });
  holder.join();
}

void holds_it_beyond() {
  std::mutex lock;
  lock.lock();
  {
    std::mutex inner;
    std::lock_guard held(inner);
  }
  lock.unlock();
}

int main() {
#if defined(OTHER)
  another_thread_holds_it();
#elif defined(THROWS)
  std::thread([] {
    try {
      holds_it();
    } catch (const std::runtime_error&) {
    }
  }).join();
#elif defined(MAIN)
#ifdef JOINED
  std::thread([] {}).join();
#elif defined(BESIDE)
  std::thread([] {}).detach();
#endif
  std::mutex lock;  // @ENDS
  lock.lock();
#elif defined(BEYOND)
  holds_it_beyond();
#else
  std::thread([] {
    holds_it();
#ifdef AGAIN
    holds_it();
#endif
  }).join();
#endif
}  // @ENDS
