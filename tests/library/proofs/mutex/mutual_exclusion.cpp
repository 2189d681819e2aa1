// SPDX-License-Identifier: MIT
//
// Whatever one thread writes under the mutex the next one sees, however they came by it; and both
// get it each time that they ask.
//
// options:
// options: --spurious
#include <cassert>
#include <thread>

#include "sleepy_mutex.hpp"

int main() {
  sleepy_mutex door;
  int counter = 0;
  const auto increment = [&] {
    door.lock();
    ++counter;
    door.unlock();
  };
  std::thread other([&] {
    increment();
    increment();
  });
  increment();
  other.join();
  assert(counter == 3);
}
