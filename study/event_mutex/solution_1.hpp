// SPDX-License-Identifier: MIT
//
// "Solution 1" of 13 July 2020: sequential consistency throughout, the clearing of the flag
// included.
//
// The reviewer, 13 July 14:38: correct, by the order S of all seq_cst operations, and by C++14,
// too. The library's seq_cst protocol is this with a relaxed clearing.
#pragma once

#include "words.hpp"

namespace fencepost::study {

class solution_1 : public words {
 public:
  bool try_lock() noexcept {
    bool expected = false;
    return m_lock_word.compare_exchange_strong(expected, true);
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
