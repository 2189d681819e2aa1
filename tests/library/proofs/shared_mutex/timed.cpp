// SPDX-License-Identifier: MIT
//
// A thread that gives up takes no wake-up with it that others need, and leaves the mutex as it was.
//
// options: --timeouts
// case: writer -DHASTY=try_lock_for -DGIVES_BACK=unlock
// case: reader -DHASTY=try_lock_shared_for -DGIVES_BACK=unlock_shared
#include <cassert>
#include <chrono>
#include <thread>

#include "sleepy_shared_mutex.hpp"

int main() {
  sleepy_shared_mutex door;
  int counter = 0;
  door.lock();
  std::thread hasty([&] {
    if (door.HASTY(std::chrono::seconds(1))) door.GIVES_BACK();
  });
  std::thread patient([&] {
    door.lock();
    ++counter;
    door.unlock();
  });
  ++counter;
  door.unlock();
  hasty.join();
  patient.join();
  assert(counter == 2);
  assert(door.try_lock());
  door.unlock();
  assert(door.try_lock_shared());
  door.unlock_shared();
}
