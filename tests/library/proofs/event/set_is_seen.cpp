// SPDX-License-Identifier: MIT
//
// Every set() that comes before a reset() happens before its return, also the set() that found the
// event set, and also where another thread has reset it: who looks at the condition after reset()
// and then waits is never left asleep with the condition true.
#include <atomic>
#include <cassert>
#include <thread>

#include "fencepost/detail/event.hpp"

namespace {

fencepost::event event;
std::atomic<bool> condition{false};

}  // namespace

int main() {
  event.set();
  std::thread setter([] {
    condition.store(true, std::memory_order_relaxed);
    event.set();
  });
  std::thread resetter([] { static_cast<void>(event.reset()); });
  const auto epoch = event.reset();
  // By the order of the event's changes: a set() that is not before the reset() ends the wait.
  if (!condition.load(std::memory_order_relaxed)) {
    event.wait(epoch);
    assert(condition.load(std::memory_order_relaxed));
  }
  setter.join();
  resetter.join();
  return 0;
}
