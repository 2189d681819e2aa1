// SPDX-License-Identifier: MIT
//
// "proposal3" of 16 July 2020 10:49: acq_rel read-modify-writes of the lock word on both sides,
// exchange on the flag. The order of the failed compare-exchange, acq_rel in the text, is acquire
// here, as the standard demands.
//
// The reviewer, there: he believes it correct, having found no flaw in ten minutes, for the
// exchange in exit synchronises with the failed compare-exchange in enter. A failed
// compare-exchange writes nothing, and nobody synchronises with it: his own argument of 27 July
// against another patch.
#pragma once

#include "words.hpp"

namespace fencepost::study {

class proposal_3 : public words {
 public:
  bool try_lock() noexcept {
    bool expected = false;
    return m_lock_word.compare_exchange_strong(expected, true, std::memory_order_acq_rel);
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
