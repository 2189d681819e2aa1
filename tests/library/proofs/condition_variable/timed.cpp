// SPDX-License-Identifier: MIT
//
// Who gives up for lack of time takes no notification along that another needs: two notifications
// get both waiters going, whoever of them was hasty.
//
// options: --timeouts
// options: --timeouts --spurious
#include <chrono>
#include <thread>

#include "small_mutex.hpp"

int main() {
  small_mutex door;
  condition_variable changed;
  bool open = false;
  std::thread hasty([&] {
    std::unique_lock in(door);
    (void)changed.wait_for(in, std::chrono::seconds(1), [&] { return open; });
  });
  std::thread patient([&] {
    std::unique_lock in(door);
    changed.wait(in, [&] { return open; });
  });
  {
    const std::lock_guard in(door);
    open = true;
  }
  changed.notify_one();
  changed.notify_one();
  hasty.join();
  patient.join();
}
