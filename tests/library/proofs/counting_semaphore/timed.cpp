// SPDX-License-Identifier: MIT
//
// A thread that gives up takes no wake-up with it that another one needs, and no permit.
//
// options: --timeouts=2
#include <cassert>
#include <chrono>
#include <thread>

#include "sleepy_semaphore.hpp"

int main() {
  sleepy_semaphore semaphore(0);
  bool in_time = false;
  std::thread hasty([&] {
    in_time = semaphore.try_acquire_for(std::chrono::seconds(1));
    // It brings back what it took: there is one for the patient one in either case.
    if (in_time) semaphore.release();
  });
  std::thread patient([&] { semaphore.acquire(); });
  semaphore.release();
  hasty.join();
  patient.join();
  assert(semaphore.permits() == 0);
  semaphore.release();
  assert(semaphore.try_acquire());
  assert(!semaphore.try_acquire());
}
