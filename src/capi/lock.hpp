// SPDX-License-Identifier: MIT
//
// What the C functions of every lock have in common.
#pragma once

#include <cerrno>
#include <memory>

#include "deadline.hpp"

namespace fencepost {

template <class Lock>
int try_to_lock(Lock& lock) noexcept {
  return lock.try_lock() ? 0 : EBUSY;
}

template <class Lock>
int lock_before(Lock& lock, const moment& deadline) noexcept {
  if (deadline.error != 0) return deadline.error;
  if (deadline.for_ever) {
    lock.lock();
    return 0;
  }
  return lock.try_lock_until(deadline.at) ? 0 : ETIMEDOUT;
}

/// Ends a lock's life, unless somebody holds it.
template <class Lock>
int destroy(Lock& lock) noexcept {
  if (!lock.try_lock()) return EBUSY;
  lock.unlock();
  std::destroy_at(&lock);
  return 0;
}

}  // namespace fencepost
