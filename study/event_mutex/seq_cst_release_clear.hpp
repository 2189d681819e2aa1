// SPDX-License-Identifier: MIT
//
// Sequentially consistent but for the clearing of the flag, which stays release: "exit_correct" of
// 9 July 2020 14:03, and what note 2 of 13 July 14:38 objects to with four threads X, Y, Z, W.
//
// The reviewer, 9 July: correct on condition that set_waiters() becomes seq_cst, as is done here.
// 13 July: C++14 does not seem to forbid a lost wake-up, newer wording of the standard does.
#pragma once

#include "words.hpp"

namespace fencepost::study {

class seq_cst_release_clear : public words {
 public:
  bool try_lock() noexcept {
    bool expected = false;
    return m_lock_word.compare_exchange_strong(expected, true);
  }

  template <class retry>
  bool announce_then(retry&& try_again) noexcept {
    m_waiters.store(true, std::memory_order_seq_cst);
    return try_again();
  }

  [[nodiscard]] bool unlock() noexcept {
    m_lock_word.store(false, std::memory_order_seq_cst);
    if (!m_waiters.load(std::memory_order_seq_cst)) return false;
    m_waiters.store(false, std::memory_order_release);
    return true;
  }
};

}  // namespace fencepost::study
