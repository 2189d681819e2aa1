// SPDX-License-Identifier: MIT
//
// A wait whose time runs out says so only if the event was not set, and takes nobody's wake-up
// along.
//
// options: --timeouts
// options: --timeouts --spurious
#include <cassert>
#include <chrono>
#include <thread>

#include "fencepost/detail/event.hpp"

namespace {

fencepost::event event;
int answer = 0;

}  // namespace

int main() {
  std::thread timed([] {
    if (event.wait_for(0, std::chrono::seconds(1))) assert(answer == 42);
  });
  std::thread patient([] {
    event.wait(0);
    assert(answer == 42);
  });
  answer = 42;
  event.set();
  timed.join();
  patient.join();
  return 0;
}
