// SPDX-License-Identifier: MIT
//
// "exit_proposal2" as written on 16 July 2020 13:56: seq_cst store of the lock word, seq_cst
// exchange of the flag. enter as clarified in the same message: acquire on the lock word, release
// on the flag.
//
// The reporter, there: one seq_cst operation may do for look and clearing, and spare the fence.
#pragma once

#include "words.hpp"

namespace fencepost::study {

class proposal_2 : public words {
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
    m_lock_word.store(false, std::memory_order_seq_cst);
    return m_waiters.exchange(false, std::memory_order_seq_cst);
  }
};

}  // namespace fencepost::study
