// SPDX-License-Identifier: MIT
// A plain write that covers two atomic objects gives both their values.
//
// case: cleared_together
// expect: all=holds executions=1
#include <atomic>
#include <cassert>
#include <cstring>

struct pair {
  std::atomic<int> first;
  std::atomic<int> second;
};
alignas(8) pair both;

int main() {
  both.first.store(1);
  both.second.store(2);
  std::memset(static_cast<void*>(&both), 0, sizeof both);
  assert(both.first.load() == 0);
  assert(both.second.load() == 0);
}
