// SPDX-License-Identifier: MIT
//
// One notification of all wakes two, whether they sleep already or are about to.
//
// options:
// options: --spurious
#include <thread>

#include "small_mutex.hpp"

int main() {
  small_mutex door;
  condition_variable changed;
  bool open = false;
  const auto pass = [&] {
    std::unique_lock in(door);
    changed.wait(in, [&] { return open; });
  };
  std::thread one(pass);
  std::thread two(pass);
  {
    const std::lock_guard in(door);
    open = true;
  }
  changed.notify_all();
  one.join();
  two.join();
}
