// SPDX-License-Identifier: MIT
//
// "proposal3" of 16 July 2020 10:49 to the letter: its compare-exchange names acq_rel also for
// failure, an order that the standard forbids there (a failed compare-exchange is a load, and a
// load cannot release).
//
// The reviewer, there: he believes it correct.
#pragma once

#include "words.hpp"

namespace fencepost::study {

class proposal_3_as_written : public words {
 public:
  bool try_lock() noexcept {
    bool expected = false;
    // As proposed. The order of a failure may be neither release nor acq_rel.
    return m_lock_word.compare_exchange_strong(expected, true, std::memory_order_acq_rel,
                                               std::memory_order_acq_rel);
  }

  template <class retry>
  bool announce_then(retry&& try_again) noexcept {
    m_waiters.store(true, std::memory_order_release);
    return try_again();
  }

  [[nodiscard]] bool unlock() noexcept {
    m_lock_word.exchange(false, std::memory_order_acq_rel);
    return m_waiters.exchange(false, std::memory_order_acquire);
  }
};

}  // namespace fencepost::study
