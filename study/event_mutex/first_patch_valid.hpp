// SPDX-License-Identifier: MIT
//
// The contribution of 7 July 2020 with the one order that the standard forbids put right: the flag
// is cleared with release, as it was before. What is left is the question of the patch itself:
// acquire and release on the lock word.
//
// The reporter, 7 July: correct; 9 July 06:25: the order of that store was an oversight and can be
// changed, though not to release. The reviewer, 14 July 12:18: buggy, which he shows both by C++14
// and on x86.
#pragma once

#include "words.hpp"

namespace fencepost::study {

class first_patch_valid : public words {
 public:
  bool try_lock() noexcept {
    bool expected = false;
    return m_lock_word.compare_exchange_strong(expected, true, std::memory_order_acquire);
  }

  template <class retry>
  bool announce_then(retry&& try_again) noexcept {
    m_waiters.store(true, std::memory_order_release);
    return try_again();
  }

  [[nodiscard]] bool unlock() noexcept {
    m_lock_word.store(false, std::memory_order_release);
    if (!m_waiters.load(std::memory_order_acquire)) return false;
    m_waiters.store(false, std::memory_order_release);
    return true;
  }
};

}  // namespace fencepost::study
