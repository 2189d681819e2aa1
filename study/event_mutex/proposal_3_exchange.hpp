// SPDX-License-Identifier: MIT
//
// Proposal 3 of 16 July 2020 with the variant offered there for speed: plain exchange as try-lock.
//
// A failed try then writes, and exit reads from it: what the proof of proposal 3 lacks. The
// library's lock_exchange protocol is this with a flag that has no orders at all.
#pragma once

#include "words.hpp"

namespace fencepost::study {

class proposal_3_exchange : public words {
 public:
  bool try_lock() noexcept { return !m_lock_word.exchange(true, std::memory_order_acq_rel); }

  template <class retry>
  bool announce_then(retry&& try_again) noexcept {
    m_waiters.store(true, std::memory_order_release);
    return try_again();
  }

  [[nodiscard]] bool unlock() noexcept {
    m_lock_word.exchange(false, std::memory_order_acq_rel);
    return m_waiters.exchange(false, std::memory_order_acquire);
  }
};

}  // namespace fencepost::study
