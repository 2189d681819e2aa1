// SPDX-License-Identifier: MIT
//
// Who waited for the one call may destroy the flag when it returns, though the call's own thread
// has not returned.
#include <cstdlib>
#include <thread>

#include "fencepost/once_flag.hpp"

int main() {
  auto* flag = new fencepost::once_flag;
  bool done = false;
  if (!flag->begin()) return 1;
  std::thread waits([&] {
    fencepost::call_once(*flag, [] {});
    delete flag;
    if (!done) std::abort();
  });
  done = true;
  flag->finish();
  waits.join();
}
