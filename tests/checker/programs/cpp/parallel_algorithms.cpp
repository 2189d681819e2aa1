// SPDX-License-Identifier: MIT
// Algorithms that are to run in parallel: the threads on which the library may run them are not
// explored, so programs that ask for them are refused.
//
// case: par
// flags: -DPOLICY=par
// expect: all=inconclusive says="'std::execution::par' lets algorithms run on several threads"
//
// case: par_without_debug_information
// flags: -DPOLICY=par -g0
// expect: all=inconclusive says="'std::execution::par' lets algorithms run on several threads"
//
// case: par_unseq
// flags: -DPOLICY=par_unseq
// expect: all=inconclusive says="'std::execution::par_unseq' lets algorithms run on several"
//
// case: seq
// flags: -DPOLICY=seq
// expect: all=holds
//
// case: unseq
// flags: -std=c++20 -DPOLICY=unseq
// expect: all=holds
#include <algorithm>
#include <cassert>
#include <execution>
#include <vector>

int main() {
  const std::vector<int> values{1, 2, 3, 4};
  int sum = 0;
  std::for_each(std::execution::POLICY, values.begin(), values.end(), [&](int x) { sum += x; });
  assert(sum == 10);
}
