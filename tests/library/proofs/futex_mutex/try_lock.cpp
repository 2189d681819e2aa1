// SPDX-License-Identifier: MIT
//
// A try never waits, succeeds on a free mutex, and what it succeeds with is the mutex.
#include <cassert>
#include <thread>

#include "sleepy_futex_mutex.hpp"

int main() {
  sleepy_futex_mutex door;
  int counter = 0;
  int taken = 0;
  std::thread other([&] {
    if (door.try_lock()) {
      ++counter;
      ++taken;
      door.unlock();
    }
  });
  if (door.try_lock()) {
    ++counter;
    door.unlock();
  }
  door.lock();
  ++counter;
  door.unlock();
  other.join();
  assert(counter >= 1 + taken && counter <= 3);
  assert(door.try_lock());
  door.unlock();
}
