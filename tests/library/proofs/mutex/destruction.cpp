// SPDX-License-Identifier: MIT
//
// Who locks the mutex after the last unlock() may destroy it, though that unlock() has not
// returned.
#include <thread>

#include "sleepy_mutex.hpp"

int main() {
  auto* door = new sleepy_mutex;
  int left = 2;
  const auto leave = [&] {
    door->lock();
    const bool last = --left == 0;
    door->unlock();
    if (last) delete door;
  };
  std::thread other(leave);
  leave();
  other.join();
}
