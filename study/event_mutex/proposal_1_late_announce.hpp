// SPDX-License-Identifier: MIT
//
// "exit_proposal1" of 15 July 2020 with "enter_proposal1" as the reviewer read it on 16 July 10:49:
// the flag is raised AFTER the last look at the lock word.
//
// The reviewer, there: wrong even if instructions took effect one by one. The reporter, 16 July
// 13:56: not what was meant.
#pragma once

#include "words.hpp"

namespace fencepost::study {

class proposal_1_late_announce : public words {
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
    m_lock_word.store(false, std::memory_order_release);
    bool expected = true;
    return m_waiters.compare_exchange_strong(expected, false, std::memory_order_acquire,
                                             std::memory_order_acquire);
  }
};

}  // namespace fencepost::study
