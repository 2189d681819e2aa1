// SPDX-License-Identifier: MIT
//
// "exit_proposal2" of 16 July 2020 13:56 with the order of enter that the reviewer criticised on 16
// July 10:49 in both proposals: the flag is raised AFTER the last look at the lock word.
//
// The reviewer, there: the same mistake in both.
#pragma once

#include "words.hpp"

namespace fencepost::study {

class proposal_2_late_announce : public words {
 public:
  bool try_lock() noexcept {
    bool expected = false;
    return m_lock_word.compare_exchange_strong(expected, true, std::memory_order_acquire,
                                               std::memory_order_acquire);
  }

  template <class retry>
  bool announce_then(retry&& try_again) noexcept {
    if (try_again()) return true;
    m_waiters.store(true, std::memory_order_release);
    return false;
  }

  [[nodiscard]] bool unlock() noexcept {
    m_lock_word.store(false, std::memory_order_seq_cst);
    return m_waiters.exchange(false, std::memory_order_seq_cst);
  }
};

}  // namespace fencepost::study
