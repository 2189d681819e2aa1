// SPDX-License-Identifier: MIT
//
// "BUGGY_proposal3" of 16 July 2020 with plain exchange as try-lock, and its relaxed look and
// clearing.
//
// Nobody proposed this combination; it is here to tell whether the relaxed clearing is the bug.
#pragma once

#include "words.hpp"

namespace fencepost::study {

class buggy_proposal_3_exchange : public words {
 public:
  bool try_lock() noexcept { return !m_lock_word.exchange(true, std::memory_order_acq_rel); }

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
