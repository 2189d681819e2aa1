// SPDX-License-Identifier: MIT
//
// A hundred thousand locks, one for each entry of a table, in 400 kilobytes: a word each, and
// memory of zeros is a table of unlocked mutexes.
#include "fencepost/futex_mutex.hpp"

#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

namespace {

constexpr unsigned entries = 100'000;

struct entry {
  fencepost::futex_mutex door;
  unsigned count = 0;
};

constinit entry table[entries];

}  // namespace

int main() {
  constexpr unsigned steps = 200'000;
  std::vector<std::thread> threads;
  for (unsigned n = 0; n != 4; ++n) {
    threads.emplace_back([n] {
      unsigned where = n;
      for (unsigned m = 0; m != steps; ++m) {
        where = (where * 1664525U + 1013904223U) % entries;
        const std::lock_guard in(table[where].door);
        ++table[where].count;
      }
    });
  }
  for (std::thread& one : threads) one.join();
  unsigned sum = 0;
  for (const entry& one : table) sum += one.count;
  std::printf("counted: %u\n", sum);
  return sum == 4 * steps ? 0 : 1;
}
