// SPDX-License-Identifier: MIT
//
// Two threads wait, and as many permits are given, one by one or both at once; or one waits, and
// another one takes the permit away from under it and brings it back. Nobody sleeps for ever.
//
// case: one_by_one -DWAY=1
// case: at_once -DWAY=2
// case: overtaken -DWAY=3
// case: one_for_two -DWAY=4
// expect: all=violated
#include <cassert>
#include <thread>

#include "sleepy_semaphore.hpp"

int main() {
  sleepy_semaphore semaphore(0);
  std::thread first([&] { semaphore.acquire(); });
  std::thread second([&] {
#if WAY == 3
    if (semaphore.try_acquire()) semaphore.release();
#else
    semaphore.acquire();
#endif
  });
#if WAY == 1
  semaphore.release();
  semaphore.release();
#elif WAY == 2
  semaphore.release(2);
#elif WAY == 3
  assert(semaphore.try_release());
#else
  semaphore.release();
#endif
  first.join();
  second.join();
  assert(semaphore.permits() == 0);
}
