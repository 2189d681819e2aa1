// SPDX-License-Identifier: MIT
//
// Rings: a pipeline of three stages that wait for each other and shut down in order.
//
// A reader pushes lines into a ring for one producer and one consumer; two workers cannot share
// that one, so a thread in between hands the work out through a ring for many. close() travels down
// the pipeline: each stage drains what is left and then closes the next.
//
// Returns 0 once every line was counted once.

#include "fencepost/ring.hpp"

#include <chrono>
#include <cstdio>
#include <string>
#include <thread>

using namespace std::chrono_literals;

int main() {
  constexpr int lines = 10'000;
  fencepost::spsc_ring<std::string> read(64);
  fencepost::mpmc_ring<std::string> work(64);
  fencepost::mpmc_ring<std::size_t> lengths(64);

  std::thread reader([&read] {
    for (int n = 0; n != lines; ++n) read.push("line " + std::to_string(n));
    read.close();
  });

  std::thread filter([&read, &work] {
    while (auto line = read.pop()) {
      if (!work.push(std::move(*line))) return;  // closed from below: nobody wants more
    }
    work.close();
  });

  const auto measure = [&work, &lengths] {
    while (auto line = work.pop()) lengths.push(line->size());
  };
  std::thread one(measure);
  std::thread other(measure);

  int counted = 0;
  std::size_t letters = 0;
  int idle = 0;
  while (counted != lines) {
    std::size_t length = 0;
    const fencepost::ring_status came = lengths.pop_for(length, 100ms);
    if (came) {
      ++counted;
      letters += length;
    } else if (came == fencepost::ring_status::timed_out) {
      ++idle;  // the moment to do something else
    }
  }
  reader.join();
  filter.join();
  one.join();
  other.join();

  // Everything has been drained, and closed says so; a ring takes nothing any more.
  const bool at_the_end = !work.pop() && !read.pop() && !work.push("late");
  std::printf("%d lines, %zu letters, %d idle moments\n", counted, letters, idle);
  return at_the_end && letters == 10 * 6 + 90 * 7 + 900 * 8 + 9000 * 9 ? 0 : 1;
}
