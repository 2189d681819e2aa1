// SPDX-License-Identifier: MIT
#include "fencepost/futex_mutex.hpp"

#include <cstddef>

#include "deadline.hpp"
#include "exports.hpp"
#include "lock.hpp"
#include "object.hpp"

namespace {

/// Calls `use` with the C++ mutex that the flags name.
template <class Use>
auto with(fencepost_futex_mutex* c, Use use) noexcept {
  constexpr std::size_t end = offsetof(fencepost_futex_mutex, flags);
  if ((c->flags & FENCEPOST_INTERPROCESS) != 0) [[unlikely]] {
    return use(fencepost::object<fencepost::interprocess_futex_mutex, end>(c));
  }
  return use(fencepost::object<fencepost::futex_mutex, end>(c));
}

}  // namespace

int fencepost_futex_mutex_init(fencepost_futex_mutex* mutex, unsigned flags) noexcept {
  if (!fencepost::known(flags, FENCEPOST_INTERPROCESS)) return EINVAL;
  *mutex = fencepost_futex_mutex FENCEPOST_FUTEX_MUTEX_INIT(flags);
  return 0;
}

int fencepost_futex_mutex_destroy(fencepost_futex_mutex* mutex) noexcept {
  return with(mutex, [](auto& lock) noexcept { return fencepost::destroy(lock); });
}

void fencepost_futex_mutex_lock(fencepost_futex_mutex* mutex) noexcept {
  with(mutex, [](auto& lock) noexcept { lock.lock(); });
}

int fencepost_futex_mutex_try_lock(fencepost_futex_mutex* mutex) noexcept {
  return with(mutex, [](auto& lock) noexcept { return fencepost::try_to_lock(lock); });
}

int fencepost_futex_mutex_lock_until(fencepost_futex_mutex* mutex,
                                     const timespec* deadline) noexcept {
  const fencepost::moment at = fencepost::until(deadline);
  return with(mutex, [&at](auto& lock) noexcept { return fencepost::lock_before(lock, at); });
}

int fencepost_futex_mutex_lock_for(fencepost_futex_mutex* mutex, const timespec* timeout) noexcept {
  const fencepost::moment at = fencepost::after(timeout);
  return with(mutex, [&at](auto& lock) noexcept { return fencepost::lock_before(lock, at); });
}

void fencepost_futex_mutex_unlock(fencepost_futex_mutex* mutex) noexcept {
  with(mutex, [](auto& lock) noexcept { lock.unlock(); });
}
