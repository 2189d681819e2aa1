// SPDX-License-Identifier: MIT
//
// What a thread did before set() is seen by all whom it wakes, those with a deadline included.
//
// options:
// options: --spurious
#include <cassert>
#include <chrono>
#include <thread>

#include "fencepost/detail/event.hpp"

namespace {

fencepost::event event;
int answer = 0;

}  // namespace

int main() {
  std::thread setter([] {
    answer = 42;
    event.set();
  });
  std::thread timed([] {
    const bool in_time = event.wait_for(0, std::chrono::hours(1));
    assert(in_time && answer == 42);
  });
  event.wait(0);
  assert(answer == 42);
  setter.join();
  timed.join();
  return 0;
}
