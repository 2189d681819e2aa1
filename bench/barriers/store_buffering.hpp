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
// without them it is gone before anybody could miss it.
//
// The store to y is aimed at the moment at which the fast side looks for it: a little later after
// each round in which it was seen, a little earlier after each in which it was not, and strewn
// about there. Half of all rounds fall on either side, and each side's stores are under way while
// the other looks.
//
// A heavy fence that takes milliseconds would leave time for a few thousand rounds only. Then many
// threads are the slow side. They share its processor and take turns: while one waits in its heavy
// fence the next begins a round. Every round is what it is with one thread: it has a store to y, a
// full fence and a heavy fence of its own, which begins at once, and as soon as that is over its
// thread looks at x. Nothing is shared but the waiting. (Had many rounds one heavy fence between
// them, it would begin too late for all but the last.)
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "processors.hpp"

namespace bench {

inline constexpr unsigned most_dirty_lines = 256;

struct store_buffering {
  using clock = std::chrono::steady_clock;

  unsigned dirty_lines = 16;
  unsigned slow_threads = 1;
  unsigned long rounds = 0;
  unsigned long violations = 0;
  /// Rounds in which the fast side had begun before the slow side's own fence was over, and had not
  /// ended before the store to y: the others could not have gone wrong.
  unsigned long overlapped = 0;
  double seconds = 0;
  std::vector<std::uint32_t> nanoseconds{};         ///< of each HEAVY and the look at x
  std::vector<std::uint32_t> missed_nanoseconds{};  ///< the same where the store was missed

  /// Up to so many rounds more, for up to so long. The calling thread should be on one processor,
  /// which is the slow side's; the fast side is put on processor 0. `rest` is called by a slow
  /// thread whose round is over.
  template <class Light, class Heavy, class Rest>
  void run(unsigned long most, std::chrono::duration<double> longest, Light light, Heavy heavy,
           Rest rest);
};

namespace detail {

struct alignas(64) line {
  std::atomic<unsigned long> value{0};
};

/// What the fast side says of its part of a round.
struct alignas(64) answer {
  store_buffering::clock::time_point began;
  unsigned long saw = 0;
};

/// What the two sides share, and all runs: the lines that were dirtied ahead are there in the next
/// run. Rounds count from 1.
struct place {
  unsigned long last = 0;  // round that was run; written between runs
  line x;
  line y;
  struct alignas(64) {
    std::atomic<unsigned long> round{0};
    answer* to = nullptr;
  } started;
  line ended;
  std::array<line, 1UL << 16> lines;

  /// A line that has a store ahead of x in this round. Neighbours in time are not in memory, or it
  /// would be fetched early.
  std::atomic<unsigned long>& dirty(unsigned long round, unsigned n, unsigned of) noexcept {
    return lines[(round * of + n) * 40'503 % lines.size()].value;
  }
};

inline place& everywhere() {
  static place one;
  return one;
}

/// The slow side dirties lines so many rounds ahead that they have left its own caches, which may
/// be the fast side's, too.
inline unsigned long ahead(unsigned lines) noexcept { return (1UL << 15) / std::max(lines, 1U); }

/// When to store to y, in turns of an empty loop after the round has started.
class aim {
 public:
  void learn(bool was_seen) noexcept {
    if (was_seen)
      middle_ = middle_ < farthest ? middle_ + step : middle_;
    else
      middle_ = middle_ > step ? middle_ - step : 0;
  }
  [[nodiscard]] unsigned long pause(unsigned long round) const noexcept {
    const unsigned long spread = spreads[round % spreads.size()];
    const unsigned long late = middle_ + round * 2654435761 % spread;
    return late > spread / 2 ? late - spread / 2 : 0;
  }

 private:
  static constexpr unsigned long step = 4;
  /// Some for processors that are near each other, some for those that are not.
  static constexpr std::array<unsigned long, 3> spreads{32, 128, 512};
  static constexpr unsigned long farthest = 1UL << 16;
  unsigned long middle_ = 512;
};

/// Whose round it is, for slow threads.
struct turns {
  std::mutex one_is_next{};
  std::atomic<bool> is_taken{false};
  std::atomic<bool> is_over{false};
  unsigned long round;
  const unsigned long last;
  answer* previous = nullptr;
  aim when{};

  /// One thread waits for the turn and has the processor now and then; the others sleep. Who is
  /// next is woken here, so that passing on is a store and delays no heavy fence.
  void take() {
    const std::lock_guard next(one_is_next);
    while (is_taken.exchange(true, std::memory_order_acquire)) std::this_thread::yield();
  }
  void pass_on() { is_taken.store(false, std::memory_order_release); }
};

/// Waits for the thread on the other processor; gives this one away where that seems not to run.
template <class Condition>
void spin_until(Condition condition) {
  for (unsigned turn = 1; !condition(); ++turn) {
    if (turn % (1U << 18) == 0) std::this_thread::yield();
  }
}

inline constexpr auto over = ~0UL;

template <class Light>
void be_fast_side(place& shared, unsigned dirty_lines, Light light) {
  constexpr auto relaxed = std::memory_order_relaxed;
  for (unsigned long round = shared.last + 1;; ++round) {
    unsigned long now = 0;
    spin_until(
        [&] { return (now = shared.started.round.load(std::memory_order_acquire)) >= round; });
    if (now == over) return;
    answer& found = *shared.started.to;
    found.began = store_buffering::clock::now();
    for (unsigned n = 0; n != dirty_lines; ++n)
      shared.dirty(round, n, dirty_lines).store(round, relaxed);
    shared.x.value.store(round, relaxed);
    light();
    found.saw = shared.y.value.load(relaxed);
    shared.ended.value.store(round, std::memory_order_release);
  }
}

/// Rounds, until somebody finds that it is over. Returns what this thread has found.
template <class Heavy, class Rest>
store_buffering be_slow_side(place& shared, turns& turn, answer& own, unsigned dirty_lines,
                             store_buffering::clock::time_point deadline, Heavy heavy, Rest rest) {
  using clock = store_buffering::clock;
  constexpr auto relaxed = std::memory_order_relaxed;
  store_buffering found;
  const auto ended = [&] { return shared.ended.value.load(std::memory_order_acquire); };
  for (;;) {
    turn.take();
    if (turn.is_over.load(relaxed) || turn.round == turn.last) break;
    spin_until([&] { return ended() == turn.round; });
    if (turn.previous != nullptr) turn.when.learn(turn.previous->saw == turn.round);
    const unsigned long round = ++turn.round;
    turn.previous = &own;
    for (unsigned n = 0; n != dirty_lines; ++n)
      shared.dirty(round + ahead(dirty_lines), n, dirty_lines).store(round, relaxed);
    shared.started.to = &own;
    shared.started.round.store(round, std::memory_order_release);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    for (unsigned long pause = turn.when.pause(round); pause != 0; --pause)
      std::atomic_signal_fence(std::memory_order_seq_cst);
    const bool is_too_late = shared.ended.value.load(relaxed) == round;
    shared.y.value.store(round, relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    turn.pass_on();
    const auto before = clock::now();
    heavy();
    const unsigned long saw = shared.x.value.load(relaxed);
    const auto after = clock::now();
    spin_until([&] { return ended() >= round; });

    const std::chrono::nanoseconds took = after - before;
    found.nanoseconds.push_back(
        static_cast<std::uint32_t>(std::min<long long>(took.count(), UINT32_MAX)));
    if (saw < round && own.saw < round) {
      ++found.violations;
      found.missed_nanoseconds.push_back(found.nanoseconds.back());
    }
    if (!is_too_late && own.began <= before) ++found.overlapped;
    if (after >= deadline) turn.is_over.store(true, relaxed);
    rest();
  }
  turn.pass_on();
  return found;
}

}  // namespace detail

template <class Light, class Heavy, class Rest>
void store_buffering::run(unsigned long most, std::chrono::duration<double> longest, Light light,
                          Heavy heavy, Rest rest) {
  static detail::place& shared = detail::everywhere();
  shared.started.round = shared.last;
  detail::turns turn{.round = shared.last, .last = shared.last + most};
  std::vector<detail::answer> answers(slow_threads);
  std::vector<store_buffering> found(slow_threads);
  std::thread fast([&] {
    pin(0);
    detail::be_fast_side(shared, dirty_lines, light);
  });
  const auto start = clock::now();
  const auto deadline = start + std::chrono::duration_cast<clock::duration>(longest);
  const auto be_slow = [&](unsigned n) {
    found[n] = detail::be_slow_side(shared, turn, answers[n], dirty_lines, deadline, heavy, rest);
  };
  std::vector<std::thread> others;
  for (unsigned n = 1; n < slow_threads; ++n) others.emplace_back(be_slow, n);
  be_slow(0);
  for (std::thread& other : others) other.join();
  seconds += std::chrono::duration<double>(clock::now() - start).count();
  shared.started.round.store(detail::over, std::memory_order_release);
  fast.join();
  shared.last = turn.round;

  for (const store_buffering& one : found) {
    rounds += one.nanoseconds.size();
    violations += one.violations;
    overlapped += one.overlapped;
    nanoseconds.insert(nanoseconds.end(), one.nanoseconds.begin(), one.nanoseconds.end());
    missed_nanoseconds.insert(missed_nanoseconds.end(), one.missed_nanoseconds.begin(),
                              one.missed_nanoseconds.end());
  }
}

}  // namespace bench
