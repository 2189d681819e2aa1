// SPDX-License-Identifier: MIT
// Loops whose rounds come to nothing because of each other: one tries the lock that another takes
// in a round, and takes one itself only if it has found that held, which a third finds. So a round
// that changes nothing is seen by one that changes nothing, and that at last by an attempt that
// counts. main may find `third` held: `two` has it only after it has found `second` held, which
// `one` has only after it has found `first` held, in a round of main's before `told` is set.
//
// case: chain
// expect: all=violated:assertion
//
// case: chain_of_spin_locks
// flags: -DSPIN
// expect: all=violated:assertion
//
// case: chain_of_read_write_locks
// flags: -DREAD_WRITE
// expect: all=violated:assertion
//
// case: without_the_first_link
// Nobody has `first` but who tries it.
// flags: -DNOT_TAKEN
// expect: all=holds
//
// case: told_at_once
// main makes no round.
// flags: -DTOLD
// expect: all=holds
#include <pthread.h>

#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

#ifdef SPIN
class lock_type {
 public:
  lock_type() { pthread_spin_init(&lock_, PTHREAD_PROCESS_PRIVATE); }
  void lock() { pthread_spin_lock(&lock_); }
  bool try_lock() { return pthread_spin_trylock(&lock_) == 0; }
  void unlock() { pthread_spin_unlock(&lock_); }

 private:
  pthread_spinlock_t lock_;
};
#elif defined(READ_WRITE)
#include <shared_mutex>
using lock_type = std::shared_mutex;
#else
using lock_type = std::mutex;
#endif

lock_type first, second, third, other;
std::atomic<bool> told, ended;

void take(lock_type& lock) {
  lock.lock();
  lock.unlock();
}

bool is_held(lock_type& lock) {
  if (!lock.try_lock()) return true;
  lock.unlock();
  return false;
}

int main() {
#ifdef TOLD
  told = true;
#endif
  std::thread one([] {
    while (!ended) {
      if (is_held(first)) {
        take(second);
      } else {
        take(other);
      }
    }
  });
  std::thread two([] {
    while (!ended) {
      if (is_held(second)) take(third);
    }
  });
  std::thread teller([] { told = true; });
  bool held = false;
  for (;;) {
    if (told) {
      held = is_held(third);
      break;
    }
#ifndef NOT_TAKEN
    take(first);
#endif
    if (!is_held(other)) break;
  }
  assert(!held);
  ended = true;
  one.join();
  two.join();
  teller.join();
}
