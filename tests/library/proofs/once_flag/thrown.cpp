// SPDX-License-Identifier: MIT
//
// The first call throws, and two threads have come by then: one of them makes the next call and
// sees what the first one did, the other sees both, and nobody sleeps on.
#include <cassert>
#include <thread>

#include "fencepost/once_flag.hpp"

int main() {
  fencepost::once_flag flag;
  int attempts = 0;
  const auto need = [&] {
    try {
      fencepost::call_once(flag, [&] {
        if (++attempts == 1) throw attempts;
      });
    } catch (int) {
      return;
    }
    assert(attempts == 2);
  };
  std::thread first(need);
  std::thread second(need);
  need();
  first.join();
  second.join();
  assert(flag.is_done() && attempts == 2);
}
