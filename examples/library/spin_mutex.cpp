// SPDX-License-Identifier: MIT
//
// Counters of a few bytes each, every one with a lock of its own: what a spin mutex is for. The
// sections are a handful of instructions, and nothing in them blocks.
#include "fencepost/spin_mutex.hpp"

#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

namespace {

/// How often a value was seen, and the largest: two numbers that must agree with each other.
struct statistic {
  fencepost::spin_mutex mutex;  // one byte
  unsigned seen = 0;
  unsigned largest = 0;

  void note(unsigned value) {
    const std::lock_guard guard(mutex);
    ++seen;
    if (value > largest) largest = value;
  }
};

constinit statistic statistics[16];

}  // namespace

int main() {
  constexpr unsigned threads = 4;
  constexpr unsigned notes = 10'000;
  std::vector<std::thread> workers;
  for (unsigned n = 0; n != threads; ++n) {
    workers.emplace_back([n] {
      for (unsigned value = 0; value != notes; ++value) statistics[(value + n) % 16].note(value);
    });
  }
  for (std::thread& one : workers) one.join();

  unsigned seen = 0;
  unsigned largest = 0;
  for (const statistic& one : statistics) {
    seen += one.seen;
    if (one.largest > largest) largest = one.largest;
  }
  std::printf("%u notes, the largest %u\n", seen, largest);
  return seen == threads * notes && largest == notes - 1 ? 0 : 1;
}
