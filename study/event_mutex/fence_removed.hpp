// SPDX-License-Identifier: MIT
//
// Trunk with only the fence removed: "exit_optimized" of 8 July 2020 13:11.
//
// The reviewer, there: the same instructions as exit_old on x86, but he fears a bug that is hard to
// find once the fence is gone. The reporter, 9 July: the fence is redundant.
#pragma once

#include "words.hpp"

namespace fencepost::study {

class fence_removed : public words {
 public:
  bool try_lock() noexcept {
    bool expected = false;
    return m_lock_word.compare_exchange_strong(expected, true);
  }

  template <class retry>
  bool announce_then(retry&& try_again) noexcept {
    m_waiters.store(true, std::memory_order_release);
    return try_again();
  }

  [[nodiscard]] bool unlock() noexcept {
    m_lock_word.store(false, std::memory_order_seq_cst);
    if (!m_waiters.load(std::memory_order_acquire)) return false;
    m_waiters.store(false, std::memory_order_release);
    return true;
  }
};

}  // namespace fencepost::study
