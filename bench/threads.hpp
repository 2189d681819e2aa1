// SPDX-License-Identifier: MIT
//
// Threads that do something all at once until they are told to stop.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "processors.hpp"

namespace bench {

/// What the threads look at between two pieces of work: not 0 once the window is over.
using stop_word = std::atomic<std::uint32_t>;

/// Threads that begin together: thread n, which is pinned to processor n, round and round, does
/// `work(n)`.
class crew {
 public:
  using clock = std::chrono::steady_clock;

  /// Returns when all are ready.
  template <class Work>
  crew(int threads, Work work) {
    for (int n = 0; n != threads; ++n)
      all_.emplace_back([words = words_.get(), work, n] {
        pin(n);
        words[ready].value.fetch_add(1);
        words[ready].value.notify_one();
        words[go].value.wait(0);
        work(n);
      });
    auto& here = words_[ready].value;
    for (std::uint32_t have; (have = here.load()) != static_cast<std::uint32_t>(threads);)
      here.wait(have);
  }

  /// Lets them go; returns when.
  clock::time_point begin() {
    const auto start = clock::now();
    words_[go].value.store(1);
    words_[go].value.notify_all();
    return start;
  }

  /// Returns when all are done.
  void join() {
    for (auto& thread : all_) thread.join();
  }

 private:
  struct alignas(64) word {
    std::atomic<std::uint32_t> value{0};
  };
  enum : std::size_t { ready, go };

  std::unique_ptr<word[]> words_ = std::make_unique<word[]>(2);
  std::vector<std::thread> all_;
};

/// Runs `work(n, stop)` on each thread of a crew, and tells them to stop after `length`. Returns
/// the seconds from the beginning to that.
template <class Work>
double run_threads(int threads, std::chrono::duration<double> length, Work work) {
  struct alignas(64) {
    stop_word word{0};
  } stop;
  crew all(threads, [&](int n) { work(n, static_cast<const stop_word&>(stop.word)); });
  const auto start = all.begin();
  std::this_thread::sleep_until(start + std::chrono::duration_cast<crew::clock::duration>(length));
  stop.word.store(1);
  const std::chrono::duration<double> elapsed = crew::clock::now() - start;
  all.join();
  return elapsed.count();
}

/// Runs `work(n)` on each thread of a crew to its end. Returns the seconds until all have ended.
template <class Work>
double run_to_the_end(int threads, Work work) {
  crew all(threads, std::move(work));
  const auto start = all.begin();
  all.join();
  return std::chrono::duration<double>(crew::clock::now() - start).count();
}

}  // namespace bench
