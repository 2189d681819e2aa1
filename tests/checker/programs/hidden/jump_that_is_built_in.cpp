// SPDX-License-Identifier: MIT
// __builtin_setjmp() writes to its buffer, which compilers do not announce: a round that does so is
// not like the one before.
//
// case: in_a_round
// expect: all=refused
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> x{0};
static void* place[5];

[[gnu::noinline]] static void jump() { __builtin_longjmp(place, 1); }
[[gnu::noinline]] static void look() {
  if (__builtin_setjmp(place)) return;
  for (;;) {
    const int seen = x.load();
    if (seen == 1) jump();
    if (__builtin_setjmp(place)) assert(false);
  }
}

int main() {
  std::thread other(look);
  x.store(1);
  other.join();
}
