// SPDX-License-Identifier: MIT
//
// A thread that gives up takes no wake-up with it that others need, and leaves the mutex as it was.
//
// options: --timeouts
// options: --timeouts --spurious
#include <cassert>
#include <chrono>
#include <thread>

#include "sleepy_mutex.hpp"

int main() {
  sleepy_mutex door;
  int counter = 0;
  door.lock();
  std::thread hasty([&] {
    if (door.try_lock_for(std::chrono::seconds(1))) {
      ++counter;
      door.unlock();
    }
  });
  ++counter;
  door.unlock();
  door.lock();
  ++counter;
  door.unlock();
  hasty.join();
  assert(counter == 2 || counter == 3);
  assert(door.try_lock());
  door.unlock();
}
