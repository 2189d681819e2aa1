// SPDX-License-Identifier: MIT
//
// Three threads need the same thing done: it is done once, by one of them, and all see it, those
// who slept meanwhile too.
//
// case: call_once -DASKS=0
// case: is_done -DASKS=1
#include <cassert>
#include <thread>

#include "fencepost/once_flag.hpp"

int main() {
  fencepost::once_flag flag;
  int done = 0;
  const auto need = [&] {
    fencepost::call_once(flag, [&] { ++done; });
    assert(done == 1);
  };
  std::thread first(need);
#if ASKS
  if (flag.is_done()) assert(done == 1);
#else
  std::thread second(need);
  second.join();
#endif
  first.join();
  need();
}
