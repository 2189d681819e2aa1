// SPDX-License-Identifier: MIT
// Loops that are never back where they were: the reason says what each round changes.
//
// case: what_others_can_see
// flags: -DWHAT="shared.fetch_add(1)"
// options: --max-events 100
// expect: c++20=inconclusive says="each round of this loop changes memory at .*moving_on.cpp"
//
// case: a_count_of_its_own
// flags: -DWHAT="own++"
// options: --max-events 100
// expect: c++20=inconclusive says="each round of this loop leaves other values in variables"
//
// case: a_count_in_memory
// flags: -DWHAT="count()"
// options: --max-events 100
// expect: c++20=inconclusive says="each round of this loop changes memory at .*moving_on.cpp:25"
#include <atomic>
#include <thread>

static std::atomic<bool> stop;
static std::atomic<int> shared;
int counted;

[[gnu::noinline]] static void count() { counted++; }

int main() {
  std::thread other([] { stop = true; });
  int own = 0;
  while (!stop) WHAT;
  other.join();
  return own == 12345 || shared == 12345 || counted == 12345;
}
