// SPDX-License-Identifier: MIT
//
// What every ordering of the argument has: a lock word and a flag for waiters, names as in InnoDB.
#pragma once

#include <atomic>

namespace fencepost::study {

class words {
 public:
  [[nodiscard]] bool is_locked() const noexcept {
    return m_lock_word.load(std::memory_order_relaxed);
  }

 protected:
  std::atomic<bool> m_lock_word{false};
  std::atomic<bool> m_waiters{false};
};

}  // namespace fencepost::study
