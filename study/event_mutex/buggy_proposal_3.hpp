// SPDX-License-Identifier: MIT
//
// "BUGGY_proposal3" of 16 July 2020 10:49: proposal 3 with relaxed look and relaxed clearing. The
// order of the failed compare-exchange, acq_rel in the text, is acquire here, as the standard
// demands.
//
// The reviewer, there: the clearing is the bug, for nothing makes it happen before the signal.
#pragma once

#include "words.hpp"

namespace fencepost::study {

class buggy_proposal_3 : public words {
 public:
  bool try_lock() noexcept {
    bool expected = false;
    return m_lock_word.compare_exchange_strong(expected, true, std::memory_order_acq_rel);
  }

  template <class retry>
  bool announce_then(retry&& try_again) noexcept {
    m_waiters.store(true, std::memory_order_release);
    return try_again();
  }

  [[nodiscard]] bool unlock() noexcept {
    m_lock_word.exchange(false, std::memory_order_acq_rel);
    if (!m_waiters.load(std::memory_order_relaxed)) return false;
    m_waiters.store(false, std::memory_order_relaxed);
    return true;
  }
};

}  // namespace fencepost::study
