// SPDX-License-Identifier: MIT
//
// Solution 1 with the try-lock of MySQL bug 88399: a compare-exchange that is acquire when it
// succeeds and relaxed when it fails.
//
// An article of 8 November 2017: the weaker orders gain a little on AArch64, and may need to be
// verified elsewhere. Nobody proposed them for solution 1, which came later; this is the
// verification.
#pragma once

#include "words.hpp"

namespace fencepost::study {

class solution_1_acquire_try : public words {
 public:
  bool try_lock() noexcept {
    bool expected = false;
    return m_lock_word.compare_exchange_strong(expected, true, std::memory_order_acquire,
                                               std::memory_order_relaxed);
  }

  template <class retry>
  bool announce_then(retry&& try_again) noexcept {
    m_waiters.store(true);
    return try_again();
  }

  [[nodiscard]] bool unlock() noexcept {
    m_lock_word.store(false);
    if (!m_waiters.load()) return false;
    m_waiters.store(false);
    return true;
  }
};

}  // namespace fencepost::study
