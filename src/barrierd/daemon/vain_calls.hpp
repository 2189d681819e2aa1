// SPDX-License-Identifier: MIT
//
// How often the daemon lets itself be called for nobody.
//
// Everybody may say that somebody waits; whether somebody sleeps is known when the daemon has woken
// the words. Who waits in earnest has it called some times before the processors have passed, and
// for two milliseconds more, at most every sixteenth of one: so a call that woke somebody pays for
// 32 that did not. What nobody has paid for is allowed 100 times a second, and 256 times at once.
// Then the program in the kernel takes nobody for waiting until the next one is due: who does wait
// looks for itself after a millisecond, as it would where no daemon wakes.
#pragma once

#include <algorithm>
#include <cstdint>

namespace barrierd {

class vain_calls {
 public:
  static constexpr std::uint64_t most = 256;
  static constexpr std::uint64_t earned = 32;
  /// Nanoseconds.
  static constexpr std::uint64_t one_each = 10'000'000;

  /// The daemon was called, and has woken somebody or not. Until when it wants to be left alone; 0:
  /// it need not be. `now` never goes back.
  std::uint64_t count(std::uint64_t now, bool woke_somebody) noexcept {
    const std::uint64_t due = (now - since_) / one_each;
    since_ += due * one_each;
    left_ = std::min(most, left_ + std::min(due, most));
    if (woke_somebody) {
      left_ = std::min(most, left_ + earned);
    } else if (left_ != 0) {
      --left_;
    }
    return left_ != 0 ? 0 : since_ + one_each;
  }

 private:
  std::uint64_t left_ = most;
  std::uint64_t since_ = 0;  // the last time at which one was due
};

}  // namespace barrierd
