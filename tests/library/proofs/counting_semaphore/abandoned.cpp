// SPDX-License-Identifier: MIT
//
// A thread that is cancelled while it sleeps, or just as it was woken, leaves the permit to
// another one, and wakes it.
//
// case: as_it_is
// case: silently -DSILENTLY
// expect: all=violated
#include <cassert>
#include <thread>

#include "sleepy_semaphore.hpp"

namespace {

struct cancellation {};

}  // namespace

int main() {
  sleepy_semaphore semaphore(0);
  std::thread cancelled([&] {
    bool acquired = false;
    try {
      acquired = semaphore.acquire_by([](const auto& on, auto expected) {
        const auto came = fencepost::futex::wait(on, expected);
        if (came == fencepost::futex::outcome::woken) throw cancellation();
        return came;
      });
    } catch (const cancellation&) {
#ifndef SILENTLY
      semaphore.abandon();
#endif
    }
    if (acquired) semaphore.release();
  });
  std::thread other([&] {
    semaphore.acquire();
    semaphore.release();
  });
  semaphore.release();
  cancelled.join();
  other.join();
  assert(semaphore.permits() == 1);
}
