// SPDX-License-Identifier: MIT
//
// A full fence on both sides: what the library's asymmetric protocol becomes where there is no
// membarrier.
#pragma once

#include <atomic>

#include "words.hpp"

namespace fencepost::study {

class full_fences : public words {
 public:
  bool try_lock() noexcept {
    bool expected = false;
    return m_lock_word.compare_exchange_strong(expected, true, std::memory_order_acquire,
                                               std::memory_order_relaxed);
  }

  template <class retry>
  bool announce_then(retry&& try_again) noexcept {
    m_waiters.store(true, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    return try_again();
  }

  [[nodiscard]] bool unlock() noexcept {
    m_lock_word.store(false, std::memory_order_release);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (!m_waiters.load(std::memory_order_relaxed)) return false;
    m_waiters.store(false, std::memory_order_relaxed);
    return true;
  }
};

}  // namespace fencepost::study
