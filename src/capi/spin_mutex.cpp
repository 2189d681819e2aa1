// SPDX-License-Identifier: MIT
#include "fencepost/spin_mutex.hpp"

#include "deadline.hpp"
#include "exports.hpp"
#include "lock.hpp"
#include "object.hpp"

namespace {

fencepost::spin_mutex& in_cpp(fencepost_spin_mutex* mutex) noexcept {
  return fencepost::object<fencepost::spin_mutex, sizeof(*mutex)>(mutex);
}

}  // namespace

void fencepost_spin_mutex_init(fencepost_spin_mutex* mutex) noexcept {
  *mutex = fencepost_spin_mutex FENCEPOST_SPIN_MUTEX_INIT;
}

int fencepost_spin_mutex_destroy(fencepost_spin_mutex* mutex) noexcept {
  return fencepost::destroy(in_cpp(mutex));
}

void fencepost_spin_mutex_lock(fencepost_spin_mutex* mutex) noexcept { in_cpp(mutex).lock(); }

int fencepost_spin_mutex_try_lock(fencepost_spin_mutex* mutex) noexcept {
  return fencepost::try_to_lock(in_cpp(mutex));
}

int fencepost_spin_mutex_lock_until(fencepost_spin_mutex* mutex,
                                    const timespec* deadline) noexcept {
  return fencepost::lock_before(in_cpp(mutex), fencepost::until(deadline));
}

int fencepost_spin_mutex_lock_for(fencepost_spin_mutex* mutex, const timespec* timeout) noexcept {
  return fencepost::lock_before(in_cpp(mutex), fencepost::after(timeout));
}

void fencepost_spin_mutex_unlock(fencepost_spin_mutex* mutex) noexcept { in_cpp(mutex).unlock(); }
