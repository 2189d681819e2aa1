// SPDX-License-Identifier: MIT
//
// Does it matter where a loop lies? The least program that showed it to the reviewer of MySQL bug
// 100132 (26 August 2020): a load and a store of an atomic flag and sixteen instructions that do
// nothing, in a loop. He put N more of the latter at the beginning of main() and found that time(N)
// repeats itself; here `fencepost bench --layout` puts them there.
//
// Prints the nanoseconds of CPU time that one turn took. Arguments: the number of turns. ORDER is
// that of the two operations, TURNS the number where there is no argument.
#include <atomic>
#include <cstdio>
#include <cstdlib>

#include "../processors.hpp"

#ifndef ORDER
#define ORDER seq_cst
#endif
#ifndef TURNS
#define TURNS 20000000
#endif

// For others to see: of what nobody else can read clang leaves out the loads and the stores.
std::atomic<bool> word{false};

int main(int argc, char** argv) {
  constexpr auto order = std::memory_order::ORDER;
  const long turns = argc > 1 ? std::atol(argv[1]) : TURNS;
  const double start = bench::process_cpu_seconds();
  for (long turn = 0; turn < turns; ++turn) {
    static_cast<void>(word.load(order));
    word.store(false, order);
    asm volatile(".rept 16; nop; .endr");
  }
  std::printf("%.6f\n", (bench::process_cpu_seconds() - start) * 1e9 / static_cast<double>(turns));
}
