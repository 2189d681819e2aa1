// SPDX-License-Identifier: MIT
//
// Where the threads of a measurement wait for each other between two rounds.
#pragma once

#include <atomic>
#include <cstdint>

#include "fencepost/futex.hpp"

namespace fencepost::study {

/// All threads meet here between two rounds.
class meeting {
 public:
  explicit meeting(unsigned threads) : threads_(threads) {}

  /// Returns false when the work is over; `last` decides that, by one thread and before the others
  /// go on.
  template <class decision>
  bool arrive(decision&& last) {
    const std::uint32_t round = round_.load(std::memory_order_acquire);
    if (arrived_.fetch_add(1) + 1 == threads_) {
      over_ = last();
      arrived_.store(0);
      round_.store(round + 1);
      futex::wake_all(round_);
    } else {
      for (unsigned n = 0; round_.load(std::memory_order_acquire) == round; ++n) {
        if (n < 2000)
          pause();
        else
          futex::wait(round_, round);
      }
    }
    return !over_;
  }

  [[nodiscard]] std::uint32_t round() const { return round_.load(); }
  [[nodiscard]] unsigned arrived() const { return arrived_.load(); }

 private:
  static void pause() noexcept {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }

  unsigned threads_;
  bool over_ = false;
  alignas(64) std::atomic<unsigned> arrived_{0};
  alignas(64) futex::word round_{0};
};

}  // namespace fencepost::study
