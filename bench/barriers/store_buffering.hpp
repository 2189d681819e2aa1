// SPDX-License-Identifier: MIT
//
// Store buffering between a side that has no fence but the compiler's and a side that pays for
// both:
//
//     fast side                      slow side
//     store to lines that the        y = round
//       slow side has dirtied        a full fence of its own
//     x = round                      HEAVY
//     (compiler barrier)             does it see x?
//     does it see y?
//
// If neither sees the other, the heavy side has not reached the fast one. The store to x waits in
// the store buffer behind the dirtied lines, which must come from the other processor first;
// without them it is gone before anybody could miss it, and the test shows nothing.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include "processors.hpp"

namespace bench {

inline constexpr unsigned most_dirty_lines = 256;
inline constexpr unsigned long longest_pause = 2048;  ///< turns of an empty loop

struct store_buffering {
  unsigned dirty_lines = 16;
  unsigned long rounds = 0;
  unsigned long violations = 0;
  double seconds = 0;
  std::vector<std::uint32_t> nanoseconds{};  ///< of each HEAVY

  /// Up to so many rounds more, for up to so long. The calling thread is the slow side; it should
  /// be on one processor, and the fast side is put on processor 0.
  template <class Light, class Heavy>
  void run(unsigned long most, std::chrono::duration<double> longest, Light light, Heavy heavy);
};

namespace detail {

struct alignas(64) line {
  std::atomic<unsigned long> value{0};
};

/// Waits for the thread on the other processor; gives this one away where that seems not to run.
template <class Condition>
void spin_until(Condition condition) {
  for (unsigned turn = 1; !condition(); ++turn) {
    if (turn % 4096 == 0) std::this_thread::yield();
  }
}

}  // namespace detail

template <class Light, class Heavy>
void store_buffering::run(unsigned long most, std::chrono::duration<double> longest, Light light,
                          Heavy heavy) {
  using clock = std::chrono::steady_clock;
  using detail::line;
  constexpr auto relaxed = std::memory_order_relaxed;
  constexpr auto over = ~0UL;
  static line x;
  static line y;
  static line started;
  static line ended;
  static std::array<line, most_dirty_lines> dirty;
  for (line* const one : {&x, &y, &started, &ended}) one->value = 0;

  unsigned long fast_saw = 0;
  std::thread fast([&] {
    pin(0);
    for (unsigned long round = 1;; ++round) {
      unsigned long now = 0;
      detail::spin_until(
          [&] { return (now = started.value.load(std::memory_order_acquire)) >= round; });
      if (now == over) return;
      for (unsigned n = 0; n != dirty_lines; ++n) dirty[n].value.store(round, relaxed);
      x.value.store(round, relaxed);
      light();
      fast_saw = y.value.load(relaxed);
      ended.value.store(round, std::memory_order_release);
    }
  });
  const auto start = clock::now();
  const auto deadline = start + std::chrono::duration_cast<clock::duration>(longest);
  auto now = start;
  for (unsigned long round = 1; round <= most && now < deadline; ++round) {
    for (unsigned n = 0; n != dirty_lines; ++n) dirty[n].value.store(~round, relaxed);
    started.value.store(round, std::memory_order_release);
    // Where in the fast side the store to y falls differs from round to round.
    std::atomic_thread_fence(std::memory_order_seq_cst);
    for (unsigned long pause = round * 2654435761 % longest_pause; pause != 0; --pause)
      std::atomic_signal_fence(std::memory_order_seq_cst);
    y.value.store(round, relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    const auto took = heavy();
    const unsigned long slow_saw = x.value.load(relaxed);
    detail::spin_until([&] { return ended.value.load(std::memory_order_acquire) == round; });
    if (slow_saw != round && fast_saw != round) ++violations;
    nanoseconds.push_back(took);
    ++rounds;
    if (round % 16 == 0 || took > 100'000) now = clock::now();
  }
  started.value.store(over, std::memory_order_release);
  fast.join();
  seconds += std::chrono::duration<double>(clock::now() - start).count();
}

}  // namespace bench
