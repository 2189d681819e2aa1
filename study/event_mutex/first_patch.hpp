// SPDX-License-Identifier: MIT
//
// The contribution of 7 July 2020, as described on 7, 8 and 13 July: acquire and release on the
// lock word, no fence, and the flag cleared by a store with acquire, meant to keep os_event_set()
// behind it.
//
// The reporter, 7 July: sequential consistency is not needed, and the mutex stays correct. The
// reviewer, 8 July: the look may overtake the store on x86, and the behaviour of a store with
// acquire is undefined.
#pragma once

#include "words.hpp"

namespace fencepost::study {

class first_patch : public words {
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
    // As proposed. The standard allows a store relaxed, release or seq_cst order, and no other.
    m_waiters.store(false, std::memory_order_acquire);
    return true;
  }
};

}  // namespace fencepost::study
