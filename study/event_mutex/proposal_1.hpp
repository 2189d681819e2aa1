// SPDX-License-Identifier: MIT
//
// "exit_proposal1" of 15 July 2020, quoted on 16 July 10:49: the look and the clearing in one
// compare-exchange with acquire. enter as clarified on 16 July 13:56: announce, then try again.
//
// The reporter, 15 July 16:17: it gives the order that is needed. The reviewer, 16 July: the
// standard offers no proof of that.
#pragma once

#include "words.hpp"

namespace fencepost::study {

class proposal_1 : public words {
 public:
  bool try_lock() noexcept {
    bool expected = false;
    return m_lock_word.compare_exchange_strong(expected, true, std::memory_order_acquire,
                                               std::memory_order_acquire);
  }

  template <class retry>
  bool announce_then(retry&& try_again) noexcept {
    m_waiters.store(true, std::memory_order_release);
    return try_again();
  }

  [[nodiscard]] bool unlock() noexcept {
    m_lock_word.store(false, std::memory_order_release);
    bool expected = true;
    return m_waiters.compare_exchange_strong(expected, false, std::memory_order_acquire,
                                             std::memory_order_acquire);
  }
};

}  // namespace fencepost::study
