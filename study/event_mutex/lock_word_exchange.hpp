// SPDX-License-Identifier: MIT
//
// "exit_correct2" of 9 July 2020 14:03: exchange on the lock word, a seq_cst look at the flag, and
// the flag raised and cleared with release as before.
//
// The reviewer, there: perhaps correct with set_waiters() as it is, for try_lock() is a
// compare-exchange, a load and a store in one like the exchange in exit, so that one of the two
// synchronises with the other. But a compare-exchange that fails is a load alone.
#pragma once

#include "words.hpp"

namespace fencepost::study {

class lock_word_exchange : public words {
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
    m_lock_word.exchange(false, std::memory_order_acq_rel);
    if (!m_waiters.load(std::memory_order_seq_cst)) return false;
    m_waiters.store(false, std::memory_order_release);
    return true;
  }
};

}  // namespace fencepost::study
