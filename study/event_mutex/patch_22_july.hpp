// SPDX-License-Identifier: MIT
//
// The patch of 22 July 2020 09:19: acq_rel compare-exchange on both words, release stores. A
// compare-exchange of one order fails with the load half of it: acquire.
//
// The reporter, there: a compare-exchange acts as a full fence. The reviewer, 27 July 09:43: no
// proof is given and none is possible, for a compare-exchange that fails is a load.
#pragma once

#include "words.hpp"

namespace fencepost::study {

class patch_22_july : public words {
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
    m_lock_word.store(false, std::memory_order_release);
    bool expected = true;
    return m_waiters.compare_exchange_strong(expected, false, std::memory_order_acq_rel);
  }
};

}  // namespace fencepost::study
