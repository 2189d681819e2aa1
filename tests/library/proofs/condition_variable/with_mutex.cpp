// SPDX-License-Identifier: MIT
//
// The condition variable and the mutex as they ship, together; the mutex without its spinning.
#include <mutex>
#include <thread>

#include "../mutex/sleepy_mutex.hpp"
#include "fencepost/condition_variable.hpp"

int main() {
  sleepy_mutex door;
  fencepost::condition_variable changed;
  bool open = false;
  std::thread waiter([&] {
    std::unique_lock in(door);
    changed.wait(in, [&] { return open; });
  });
  {
    const std::lock_guard in(door);
    open = true;
  }
  changed.notify_one();
  waiter.join();
}
