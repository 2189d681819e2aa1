// SPDX-License-Identifier: MIT
// The place of a lock on the stack is used for another one, and for an ordinary counter, once its
// function has returned.
//
// case: locks_again
// expect: all=holds
// case: counter_in_its_place
// flags: -DCOUNTER
// expect: all=holds
// case: counter_in_its_place_unoptimised
// flags: -DCOUNTER -O0
// expect: all=holds
#include <atomic>
#include <cassert>
#include <thread>

namespace {

std::atomic<int> tries;
std::atomic<bool> open_door;

[[gnu::noinline]] int pass(int start) {
  std::atomic<int> word{start};
  std::thread other([&] { word.fetch_add(1); });
  word.fetch_add(1);
  other.join();
  return word.load();
}

// Tries as often as there are numbers, which each has another of on the stack.
[[gnu::noinline]] int count_tries(int most) {
  volatile int left = most;
  while (!open_door.load() && left > 0) left = left - 1;
  return left;
}

}  // namespace

int main() {
  assert(pass(3) == 5);
#if defined(COUNTER)
  std::thread opener([] { open_door = true; });
  const int left = count_tries(4);
  assert(left >= 0 && left <= 4);
  tries = left;
  opener.join();
#else
  assert(pass(7) == 9);
#endif
}
