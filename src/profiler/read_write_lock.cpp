// SPDX-License-Identifier: MIT
//
// The read-write locks of POSIX, counted, but for those that processes share.
#include <pthread.h>

#include <cerrno>

#include "../preload/c_library/exported.hpp"
#include "../preload/c_library/real.hpp"
#include "../preload/given_deadline.hpp"
#include "record/accounting.hpp"

namespace fencepost::profiler {

namespace {

FENCEPOST_REAL(pthread_rwlock_init);
FENCEPOST_REAL(pthread_rwlock_destroy);
FENCEPOST_REAL(pthread_rwlock_rdlock);
FENCEPOST_REAL(pthread_rwlock_tryrdlock);
FENCEPOST_REAL(pthread_rwlock_timedrdlock);
FENCEPOST_REAL(pthread_rwlock_clockrdlock);
FENCEPOST_REAL(pthread_rwlock_wrlock);
FENCEPOST_REAL(pthread_rwlock_trywrlock);
FENCEPOST_REAL(pthread_rwlock_timedwrlock);
FENCEPOST_REAL(pthread_rwlock_clockwrlock);
FENCEPOST_REAL(pthread_rwlock_unlock);

// Padding, zero to glibc as to our own lock (../preload/read_write_lock.cpp).
std::atomic<std::uint32_t>& cached(pthread_rwlock_t* lock) noexcept {
  return *reinterpret_cast<std::atomic<std::uint32_t>*>(&lock->__data.__pad2);
}

bool is_counted(const pthread_rwlock_t* lock) noexcept { return lock->__data.__shared == 0; }

// Such a lock stays glibc's (../preload/read_write_lock.cpp).
bool prefers_writers(const pthread_rwlock_t* lock) noexcept {
  return lock->__data.__flags == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP;
}

profiler::lock& entry_of(pthread_rwlock_t* lock, const void* from) noexcept {
  return lock_with_cache(lock, kind::read_write, from, cached(lock));
}

template <class Attempt, class Wait>
int take_lock(pthread_rwlock_t* lock, const void* from, mode how, Attempt attempt, Wait wait) {
  thread* const me = is_counted(lock) ? this_thread() : nullptr;
  if (me == nullptr) return wait();
  return take(*me, entry_of(lock, from), from, how, EBUSY, attempt, wait, !prefers_writers(lock));
}

template <class Wait>
int share(pthread_rwlock_t* lock, const void* from, Wait wait) {
  return take_lock(
      lock, from, mode::shared, [&]() noexcept { return real_pthread_rwlock_tryrdlock(lock); },
      wait);
}

template <class Wait>
int write(pthread_rwlock_t* lock, const void* from, Wait wait) {
  return take_lock(
      lock, from, mode::alone, [&]() noexcept { return real_pthread_rwlock_trywrlock(lock); },
      wait);
}

template <class Attempt>
int try_lock(pthread_rwlock_t* lock, const void* from, mode how, Attempt attempt) {
  thread* const me = is_counted(lock) ? this_thread() : nullptr;
  if (me == nullptr) return attempt();
  return try_to_take(*me, entry_of(lock, from), from, how, attempt);
}

}  // namespace

}  // namespace fencepost::profiler

using namespace fencepost::profiler;
using fencepost::preload::is_refused;

#define HERE __builtin_return_address(0)

// A deadline that is refused is refused also where the lock is free.

int pthread_rwlock_init(pthread_rwlock_t* lock, const pthread_rwlockattr_t* attributes) noexcept {
  const int error = real_pthread_rwlock_init(lock, attributes);
  if (error == 0 && is_counted(lock)) {
    const std::uint32_t number = initialised(lock, kind::read_write, HERE);
    if (number != 0) cached(lock).store(number, std::memory_order_relaxed);
  }
  return error;
}

int pthread_rwlock_destroy(pthread_rwlock_t* lock) noexcept {
  const bool counted = is_counted(lock);
  const int error = real_pthread_rwlock_destroy(lock);
  if (error == 0 && counted) destroyed(lock);
  return error;
}

int pthread_rwlock_rdlock(pthread_rwlock_t* lock) noexcept {
  return share(lock, HERE, [&]() noexcept { return real_pthread_rwlock_rdlock(lock); });
}
int pthread_rwlock_tryrdlock(pthread_rwlock_t* lock) noexcept {
  return try_lock(lock, HERE, mode::shared,
                  [&]() noexcept { return real_pthread_rwlock_tryrdlock(lock); });
}
int pthread_rwlock_timedrdlock(pthread_rwlock_t* lock, const timespec* deadline) noexcept {
  const auto wait = [&]() noexcept { return real_pthread_rwlock_timedrdlock(lock, deadline); };
  return is_refused(CLOCK_REALTIME, deadline) ? wait() : share(lock, HERE, wait);
}
int pthread_rwlock_clockrdlock(pthread_rwlock_t* lock, clockid_t clock,
                               const timespec* deadline) noexcept {
  const auto wait = [&]() noexcept {
    return real_pthread_rwlock_clockrdlock(lock, clock, deadline);
  };
  return is_refused(clock, deadline) ? wait() : share(lock, HERE, wait);
}

int pthread_rwlock_wrlock(pthread_rwlock_t* lock) noexcept {
  return write(lock, HERE, [&]() noexcept { return real_pthread_rwlock_wrlock(lock); });
}
int pthread_rwlock_trywrlock(pthread_rwlock_t* lock) noexcept {
  return try_lock(lock, HERE, mode::alone,
                  [&]() noexcept { return real_pthread_rwlock_trywrlock(lock); });
}
int pthread_rwlock_timedwrlock(pthread_rwlock_t* lock, const timespec* deadline) noexcept {
  const auto wait = [&]() noexcept { return real_pthread_rwlock_timedwrlock(lock, deadline); };
  return is_refused(CLOCK_REALTIME, deadline) ? wait() : write(lock, HERE, wait);
}
int pthread_rwlock_clockwrlock(pthread_rwlock_t* lock, clockid_t clock,
                               const timespec* deadline) noexcept {
  const auto wait = [&]() noexcept {
    return real_pthread_rwlock_clockwrlock(lock, clock, deadline);
  };
  return is_refused(clock, deadline) ? wait() : write(lock, HERE, wait);
}

int pthread_rwlock_unlock(pthread_rwlock_t* lock) noexcept {
  thread* const me = is_counted(lock) ? this_thread() : nullptr;
  if (me == nullptr) return real_pthread_rwlock_unlock(lock);
  auto& one = entry_of(lock, HERE);
  releasing(*me, one);
  const waking these(&one);
  return real_pthread_rwlock_unlock(lock);
}
