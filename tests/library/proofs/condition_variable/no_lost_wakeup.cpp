// SPDX-License-Identifier: MIT
//
// Who waits for a change is woken by the notification that follows it, given after the unlock.
//
// options:
// options: --spurious
#include <thread>

#include "small_mutex.hpp"

int main() {
  small_mutex door;
  condition_variable changed;
  int tokens = 0;
  std::thread giver([&] {
    for (int n = 0; n != 2; ++n) {
      {
        const std::lock_guard in(door);
        ++tokens;
      }
      changed.notify_one();
    }
  });
  const auto take = [&] {
    std::unique_lock in(door);
    changed.wait(in, [&] { return tokens != 0; });
    --tokens;
  };
  std::thread taker(take);
  take();
  giver.join();
  taker.join();
}
