// SPDX-License-Identifier: MIT
// Memory is written and read plainly until it is used atomically, as by a constructor that builds
// upon what it finds. Each plain read sees what was there then, in every execution.
//
// case: read_before
// flags: -O0
// expect: all=holds executions=2
#include <atomic>
#include <cassert>
#include <thread>

int number;

int main() {
  number = 1;
  const int first = number;
  number = 2;
  std::atomic_ref<int> shared(number);
  std::thread other([&] { shared.fetch_add(1); });
  shared.fetch_add(1);
  other.join();
  assert(first == 1);
  assert(number == 4);
}
