// SPDX-License-Identifier: MIT
//
// The library's asymmetric protocol without what it rests on: the thread that goes to sleep issues
// a light fence instead of the heavy one.
//
// On the machine it is `first_patch_valid`; it is here to show that the heavy fence is what makes
// the difference, and that the checker sees it.
#pragma once

#include "fencepost/asymmetric_fence.hpp"
#include "words.hpp"

namespace fencepost::study {

class asymmetric_without_heavy : public words {
 public:
  bool try_lock() noexcept {
    bool expected = false;
    return m_lock_word.compare_exchange_strong(expected, true, std::memory_order_acquire,
                                               std::memory_order_relaxed);
  }

  template <class retry>
  bool announce_then(retry&& try_again) noexcept {
    m_waiters.store(true, std::memory_order_relaxed);
    asymmetric_thread_fence_light();
    return try_again();
  }

  [[nodiscard]] bool unlock() noexcept {
    m_lock_word.store(false, std::memory_order_release);
    asymmetric_thread_fence_light();
    if (!m_waiters.load(std::memory_order_relaxed)) return false;
    m_waiters.store(false, std::memory_order_relaxed);
    return true;
  }
};

}  // namespace fencepost::study
