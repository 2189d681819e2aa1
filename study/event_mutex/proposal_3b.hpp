// SPDX-License-Identifier: MIT
//
// "proposal3b" of 16 July 2020 10:49: proposal 3 with a load before the exchange of the flag, so
// that the quick path has one read-modify-write.
//
// The reviewer, there: the argument for proposal 3 carries over, and he takes both for correct.
#pragma once

#include "words.hpp"

namespace fencepost::study {

class proposal_3b : public words {
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
    if (!m_waiters.load(std::memory_order_acquire)) return false;
    m_waiters.exchange(false, std::memory_order_acquire);
    return true;
  }
};

}  // namespace fencepost::study
