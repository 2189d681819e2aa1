// SPDX-License-Identifier: MIT
//
// The spin locks of POSIX, on fencepost::spin_mutex.
//
// A spin lock that processes share is glibc's: an int that is 0 or 1. In ours the upper half says
// that it is ours.
#include <pthread.h>

#include <cerrno>
#include <cstdint>
#include <new>

#include "c_library/exported.hpp"
#include "c_library/real.hpp"
#include "fencepost/spin_mutex.hpp"

namespace fencepost::preload {

namespace {

FENCEPOST_REAL(pthread_spin_init);
FENCEPOST_REAL(pthread_spin_destroy);
FENCEPOST_REAL(pthread_spin_lock);
FENCEPOST_REAL(pthread_spin_trylock);
FENCEPOST_REAL(pthread_spin_unlock);

constexpr std::uint16_t ours = 0xf09c;

struct spin_object {
  spin_mutex lock;
  std::uint16_t whose;
};
static_assert(sizeof(spin_object) == sizeof(pthread_spinlock_t));

/// The lock, or null if it is glibc's.
spin_mutex* find(pthread_spinlock_t* word) noexcept {
  auto* const object = reinterpret_cast<spin_object*>(const_cast<int*>(word));
  return object->whose == ours ? &object->lock : nullptr;
}

}  // namespace

}  // namespace fencepost::preload

using namespace fencepost::preload;

int pthread_spin_init(pthread_spinlock_t* word, int shared) noexcept {
  if (shared != PTHREAD_PROCESS_PRIVATE) return real_pthread_spin_init(word, shared);
  ::new (const_cast<int*>(word)) spin_object{{}, ours};
  return 0;
}

int pthread_spin_destroy(pthread_spinlock_t* word) noexcept {
  return find(word) != nullptr ? 0 : real_pthread_spin_destroy(word);
}

int pthread_spin_lock(pthread_spinlock_t* word) noexcept {
  auto* const lock = find(word);
  if (lock == nullptr) return real_pthread_spin_lock(word);
  lock->lock();
  return 0;
}

int pthread_spin_trylock(pthread_spinlock_t* word) noexcept {
  auto* const lock = find(word);
  if (lock == nullptr) return real_pthread_spin_trylock(word);
  return lock->try_lock() ? 0 : EBUSY;
}

int pthread_spin_unlock(pthread_spinlock_t* word) noexcept {
  auto* const lock = find(word);
  if (lock == nullptr) return real_pthread_spin_unlock(word);
  lock->unlock();
  return 0;
}
