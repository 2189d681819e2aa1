// SPDX-License-Identifier: MIT
// main polls a local variable under a local mutex. The guard is on its stack, too, and without
// optimisation so are the frames of all the small functions in between.
//
// case: guard
// expect: all=holds executions=1
// case: unoptimised
// flags: -O0
// expect: all=holds
// case: called_twice
// flags: -DROUNDS=2
// expect: all=holds
#include <cassert>
#include <mutex>
#include <thread>

#if !defined(ROUNDS)
#define ROUNDS 1
#endif

static void poll_until_ready() {
  std::mutex door;
  bool ready = false;
  int data = 0;
  std::thread other([&] {
    data = 1;
    const std::lock_guard in(door);
    ready = true;
  });
  for (;;) {
    const std::lock_guard in(door);
    if (ready) break;
  }
  assert(data == 1);
  other.join();
}

int main() {
  for (int round = 0; round < ROUNDS; ++round) poll_until_ready();
}
