// SPDX-License-Identifier: MIT
//
// Threads that do something all at once until they are told to stop.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "processors.hpp"

namespace bench {

/// What the threads look at between two pieces of work: not 0 once the window is over.
using stop_word = std::atomic<std::uint32_t>;

/// Runs `work(n, stop)` on thread n, which is pinned to processor n, round and round. All start
/// together, and are told to stop after `length`. Returns the seconds from the one to the other.
template <class Work>
double run_threads(int threads, std::chrono::duration<double> length, Work work) {
  using clock = std::chrono::steady_clock;
  struct alignas(64) word {
    stop_word value{0};
  };
  const auto words = std::make_unique<word[]>(3);
  auto& ready = words[0].value;
  auto& go = words[1].value;
  auto& stop = words[2].value;
  std::vector<std::thread> all;
  for (int n = 0; n != threads; ++n)
    all.emplace_back([&, n] {
      pin(n);
      ready.fetch_add(1);
      ready.notify_one();
      go.wait(0);
      work(n, static_cast<const stop_word&>(stop));
    });
  for (std::uint32_t have; (have = ready.load()) != static_cast<std::uint32_t>(threads);)
    ready.wait(have);
  const auto start = clock::now();
  go.store(1);
  go.notify_all();
  std::this_thread::sleep_until(start + std::chrono::duration_cast<clock::duration>(length));
  stop.store(1);
  const std::chrono::duration<double> elapsed = clock::now() - start;
  for (auto& thread : all) thread.join();
  return elapsed.count();
}

}  // namespace bench
