// SPDX-License-Identifier: MIT
//
// What a clock is for, tried on real threads. The fast side stores ever larger numbers, and after
// each looks whether it sees the slow side's round, with nothing but a compiler barrier in between.
// The slow side stores its round, waits for the clock, and looks which number it sees:
//
//     fast side, again and again          slow side, once a round
//     x = number                          y = round
//     (compiler barrier)                  WAIT
//     seen[number] = y                    last = x
//
// What the fast side stored behind `last` was not yet visible when the wait was over, so it has to
// have looked behind the wait, and seen the round. Every such look that did not is a violation.
//
// A processor hides that it stores late unless the store has to wait for something: here for lines
// of the cache that the slow side has just taken away. Without WAIT the same program therefore
// counts violations, which says that it would notice a clock that is none. In every other round the
// fast side sleeps between its steps, so that its processor idles and others vouch for it.
#pragma once

#include <sched.h>
#include <time.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace barrierd {

class store_buffering {
 public:
  std::uint64_t rounds = 0;
  std::uint64_t violations = 0;

  /// Plays as long as `more()`; `wait` returns false if it gave up, and so does this.
  template <class More, class Wait>
  bool play(More more, Wait wait) {
    std::thread fast([this] { fast_side(); });
    bool ended = true;
    while (ended && more()) {
      ++rounds;
      for (line& one : taken_away_) one.value.store(rounds, relaxed);
      y_.value.store(rounds, relaxed);
      // What every wait begins with, so that without one the fast side alone is to blame.
      std::atomic_thread_fence(std::memory_order_seq_cst);
      ended = wait();
      last_.value.store(x_.value.load(relaxed), relaxed);
      asked_.value.store(rounds, std::memory_order_release);
      while (answered_.value.load(std::memory_order_acquire) != rounds) ::sched_yield();
    }
    stop_.store(true, relaxed);
    fast.join();
    return ended;
  }

 private:
  static constexpr auto relaxed = std::memory_order_relaxed;
  static constexpr std::uint64_t kept = 1 << 16;

  struct alignas(64) line {
    std::atomic<std::uint64_t> value{0};
  };

  void fast_side() {
    std::vector<std::uint64_t> seen(kept);  // for each of the last numbers
    std::uint64_t answered = 0;
    for (std::uint64_t number = 1; !stop_.load(relaxed); ++number) {
      for (line& one : taken_away_) one.value.store(number, relaxed);
      x_.value.store(number, relaxed);
      std::atomic_signal_fence(std::memory_order_seq_cst);
      const std::uint64_t round = y_.value.load(relaxed);
      seen[number % kept] = round;
      if (const std::uint64_t asked = asked_.value.load(std::memory_order_acquire);
          asked != answered) {
        // What was overwritten in the meantime cannot be told; there is plenty of room for a round.
        const std::uint64_t last = last_.value.load(relaxed);
        if (number - last < kept) {
          for (std::uint64_t one = last + 1; one <= number; ++one) {
            if (seen[one % kept] < asked) ++violations;
          }
        }
        answered = asked;
        answered_.value.store(asked, std::memory_order_release);
      }
      if (round % 2 == 1 && number % 16 == 0) {
        const timespec moment{0, 20'000};
        ::nanosleep(&moment, nullptr);
      }
    }
  }

  line x_;
  line y_;
  line last_;
  line asked_;
  line answered_;
  std::array<line, 16> taken_away_{};
  std::atomic<bool> stop_{false};
};

}  // namespace barrierd
