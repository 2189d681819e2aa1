// SPDX-License-Identifier: MIT
//
// Proposal 3b of 16 July 2020 with plain exchange as try-lock, the transformation that the reviewer
// suggests trying there for its speed. It is more than that: the last try, failing, now writes what
// exit reads.
//
// Nobody proposed this combination; it is here to tell what breaks proposal 3b.
#pragma once

#include "words.hpp"

namespace fencepost::study {

class proposal_3b_exchange : public words {
 public:
  bool try_lock() noexcept { return !m_lock_word.exchange(true, std::memory_order_acq_rel); }

  template <class retry>
  bool announce_then(retry&& try_again) noexcept {
    m_waiters.store(true, std::memory_order_release);
    return try_again();
  }

  [[nodiscard]] bool unlock() noexcept {
    m_lock_word.exchange(false, std::memory_order_acq_rel);
    if (!m_waiters.load(std::memory_order_acquire)) return false;
    m_waiters.exchange(false, std::memory_order_acquire);
    return true;
  }
};

}  // namespace fencepost::study
