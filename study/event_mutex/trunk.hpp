// SPDX-License-Identifier: MIT
//
// InnoDB before the change, as described on 7, 8 and 9 July 2020: sequential consistency by default
// on the lock word, release on the flag, and an acquire fence before the look at it.
//
// The reviewer, 8 July 13:11: he takes it for correct. 9 July 12:59: he suspects that, conservative
// as it is, no complete proof of it follows from the language's rules alone.
#pragma once

#include "words.hpp"

namespace fencepost::study {

class trunk : public words {
 public:
  bool try_lock() noexcept {
    bool expected = false;
    return m_lock_word.compare_exchange_strong(expected, true);
  }

  template <class retry>
  bool announce_then(retry&& try_again) noexcept {
    m_waiters.store(true, std::memory_order_release);
    return try_again();
  }

  [[nodiscard]] bool unlock() noexcept {
    m_lock_word.store(false, std::memory_order_seq_cst);
    std::atomic_thread_fence(std::memory_order_acquire);
    if (!m_waiters.load(std::memory_order_acquire)) return false;
    m_waiters.store(false, std::memory_order_release);
    return true;
  }
};

}  // namespace fencepost::study
