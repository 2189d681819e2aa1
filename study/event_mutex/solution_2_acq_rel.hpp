// SPDX-License-Identifier: MIT
//
// "Solution 2" with acq_rel exchanges.
//
// The reviewer, 27 July 09:43: the proof would still go through; he prefers seq_cst, which costs
// the same on the machines in question.
#pragma once

#include "words.hpp"

namespace fencepost::study {

class solution_2_acq_rel : public words {
 public:
  bool try_lock() noexcept {
    bool expected = false;
    return m_lock_word.compare_exchange_strong(expected, true, std::memory_order_acquire);
  }

  template <class retry>
  bool announce_then(retry&& try_again) noexcept {
    m_waiters.exchange(true, std::memory_order_acq_rel);
    return try_again();
  }

  [[nodiscard]] bool unlock() noexcept {
    m_lock_word.store(false, std::memory_order_release);
    return m_waiters.exchange(false, std::memory_order_acq_rel);
  }
};

}  // namespace fencepost::study
