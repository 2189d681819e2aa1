// SPDX-License-Identifier: MIT
// pthread_exit in the middle of C++: what is on the stack is destroyed, as by glibc.
//
// case: the_lock_is_let_go
// expect: all=holds
//
// case: the_lock_is_let_go_by_clang
// options: --cc clang-14
// expect: c++20=holds
//
// case: a_destructor_races
// flags: -DRACE
// expect: all=violated:data-race at=race
//
// case: nobody_lets_go
// flags: -DNO_GUARD
// expect: all=violated:deadlock
#include <pthread.h>

#include <cassert>
#include <mutex>
#include <thread>

std::mutex mutex;
int left = 0;

struct leaving {
  ~leaving() {
    left++;  // @race
  }
};

void leave() { pthread_exit(nullptr); }

int main() {
  std::thread other([] {
#ifdef NO_GUARD
    mutex.lock();
    left++;
#elif defined(RACE)
    const leaving me;
    const std::lock_guard guard(mutex);
#else
    const std::lock_guard guard(mutex);
    const leaving me;
#endif
    leave();
  });
  {
    const std::lock_guard guard(mutex);
    assert(left == 0 || left == 1);  // @race
  }
  other.join();
  assert(left == 1);
}
