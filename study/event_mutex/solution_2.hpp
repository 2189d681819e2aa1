// SPDX-License-Identifier: MIT
//
// "Solution 2" of 23 July 2020: the flag is touched by exchange alone, with the default order.
//
// The reviewer, 27 July 09:43: the nearest to acquire and release that can be proven. The library's
// exchange protocol is this with acquire to announce and release to look.
#pragma once

#include "words.hpp"

namespace fencepost::study {

class solution_2 : public words {
 public:
  bool try_lock() noexcept {
    bool expected = false;
    return m_lock_word.compare_exchange_strong(expected, true, std::memory_order_acquire);
  }

  template <class retry>
  bool announce_then(retry&& try_again) noexcept {
    m_waiters.exchange(true);
    return try_again();
  }

  [[nodiscard]] bool unlock() noexcept {
    m_lock_word.store(false, std::memory_order_release);
    return m_waiters.exchange(false);
  }
};

}  // namespace fencepost::study
