// SPDX-License-Identifier: MIT
//
// A wait() does not outlast a set() that follows its reset(), whether or not another thread resets
// the event in between, or sets it as well.
//
// options:
// options: --spurious
#include <thread>

#include "fencepost/detail/event.hpp"

namespace {

fencepost::event event;

}  // namespace

int main() {
  const auto epoch = event.reset();
  std::thread sets([] { event.set(); });
  std::thread sets_and_resets([] {
    event.set();
    static_cast<void>(event.reset());
  });
  event.wait(epoch);
  sets.join();
  sets_and_resets.join();
  return 0;
}
