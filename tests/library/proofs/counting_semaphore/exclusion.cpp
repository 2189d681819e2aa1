// SPDX-License-Identifier: MIT
//
// With one permit it is a mutex: nobody meets anybody, and each sees what those before it did. The
// permit of a semaphore that had none hands over what precedes it.
//
// options:
// options: --spurious
// case: release -DGIVE=release() -DPERMITS=1
// case: try_release -DGIVE=try_release() -DPERMITS=1
// case: handed_over -DGIVE=release() -DPERMITS=0
// case: two_permits -DGIVE=release() -DPERMITS=2
// expect: all=violated
#include <cassert>
#include <thread>

#include "sleepy_semaphore.hpp"

int main() {
  sleepy_semaphore door(PERMITS);
  int counter = 0;
  const auto add = [&] {
    door.acquire();
    ++counter;
    static_cast<void>(door.GIVE);
  };
  std::thread other([&] {
#if PERMITS != 0
    add();
#endif
    add();
  });
#if PERMITS == 0
  ++counter;
  static_cast<void>(door.GIVE);
#else
  add();
#endif
  other.join();
  assert(counter == (PERMITS == 0 ? 2 : 3));
  assert(door.permits() == (PERMITS == 0 ? 1 : PERMITS));
}
