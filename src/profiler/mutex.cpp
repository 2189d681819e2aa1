// SPDX-License-Identifier: MIT
//
// The mutexes of POSIX and C11, counted. Those that are robust, that inherit or protect priorities,
// or that processes share are not: the object has no room for their number.
#include "mutex.hpp"

#include <cerrno>

#include "../preload/c_library/c11.hpp"
#include "../preload/c_library/deadline.hpp"
#include "../preload/c_library/exported.hpp"
#include "../preload/c_library/real.hpp"
#include "../preload/mutex_object.hpp"
#include "record/accounting.hpp"

FENCEPOST_EXPORTED(mtx_init);

namespace fencepost::profiler {

namespace {

FENCEPOST_REAL(pthread_mutex_init);
FENCEPOST_REAL(pthread_mutex_destroy);
FENCEPOST_REAL(pthread_mutex_lock);
FENCEPOST_REAL(pthread_mutex_trylock);
FENCEPOST_REAL(pthread_mutex_timedlock);
FENCEPOST_REAL(pthread_mutex_clocklock);
FENCEPOST_REAL(pthread_mutex_unlock);
FENCEPOST_REAL(mtx_init);

// The second pointer of the list that robust mutexes and those that inherit priorities are chained
// in: zero in any other, to glibc as to our own locks (mutex_object.hpp).
std::atomic<std::uint32_t>& cached(pthread_mutex_t* mutex) noexcept {
  return *reinterpret_cast<std::atomic<std::uint32_t>*>(&mutex->__data.__list.__next);
}

lock& entry_of(pthread_mutex_t* mutex, const void* from) noexcept {
  return lock_with_cache(mutex, kind::mutex, from, cached(mutex));
}

bool is_counted(const pthread_mutex_t* mutex) noexcept {
  return !preload::is_glibcs(preload::kind_of(mutex));
}

void remember(pthread_mutex_t* mutex, const void* from) noexcept {
  if (!is_counted(mutex)) return;
  if (const std::uint32_t number = initialised(mutex, kind::mutex, from); number != 0) {
    cached(mutex).store(number, std::memory_order_relaxed);
  }
}

int init_mutex(pthread_mutex_t* mutex, const pthread_mutexattr_t* attributes,
               const void* from) noexcept {
  const int error = real_pthread_mutex_init(mutex, attributes);
  if (error == 0) remember(mutex, from);
  return error;
}

int destroy_mutex(pthread_mutex_t* mutex) noexcept {
  const bool counted = is_counted(mutex);
  const int error = real_pthread_mutex_destroy(mutex);
  if (error == 0 && counted) destroyed(mutex);
  return error;
}

template <class Wait>
int take_mutex(pthread_mutex_t* mutex, const void* from, Wait wait) {
  thread* const me = is_counted(mutex) ? this_thread() : nullptr;
  if (me == nullptr) return wait();
  return take(
      *me, entry_of(mutex, from), from, mode::alone, EBUSY,
      [&]() noexcept { return real_pthread_mutex_trylock(mutex); }, wait);
}

int lock_mutex(pthread_mutex_t* mutex, const void* from) noexcept {
  return take_mutex(mutex, from, [&]() noexcept { return real_pthread_mutex_lock(mutex); });
}

int try_lock_mutex(pthread_mutex_t* mutex, const void* from) noexcept {
  thread* const me = is_counted(mutex) ? this_thread() : nullptr;
  if (me == nullptr) return real_pthread_mutex_trylock(mutex);
  return try_to_take(*me, entry_of(mutex, from), from, mode::alone,
                     [&]() noexcept { return real_pthread_mutex_trylock(mutex); });
}

int lock_mutex_until(pthread_mutex_t* mutex, const timespec* deadline, const void* from) noexcept {
  return take_mutex(mutex, from,
                    [&]() noexcept { return real_pthread_mutex_timedlock(mutex, deadline); });
}

int unlock_mutex(pthread_mutex_t* mutex, const void* from) noexcept {
  thread* const me = is_counted(mutex) ? this_thread() : nullptr;
  if (me == nullptr) return real_pthread_mutex_unlock(mutex);
  lock& one = entry_of(mutex, from);
  releasing(*me, one);
  const waking these(&one);
  return real_pthread_mutex_unlock(mutex);
}

}  // namespace

lock* leave_for_a_wait(thread& me, pthread_mutex_t* mutex, const void* from) noexcept {
  if (!is_counted(mutex)) return nullptr;
  lock& one = entry_of(mutex, from);
  releasing(me, one);
  // relaxed: the wait, which comes after it, is published with release.
  me.retakes.store(number_of(one), std::memory_order_relaxed);
  return &one;
}

}  // namespace fencepost::profiler

using namespace fencepost::profiler;
using fencepost::preload::as_c11;
using fencepost::preload::posix;

#define HERE __builtin_return_address(0)

int pthread_mutex_init(pthread_mutex_t* mutex, const pthread_mutexattr_t* attributes) noexcept {
  return init_mutex(mutex, attributes, HERE);
}
int pthread_mutex_destroy(pthread_mutex_t* mutex) noexcept { return destroy_mutex(mutex); }
int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept { return lock_mutex(mutex, HERE); }
int pthread_mutex_trylock(pthread_mutex_t* mutex) noexcept { return try_lock_mutex(mutex, HERE); }
int pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* deadline) noexcept {
  return lock_mutex_until(mutex, deadline, HERE);
}
int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock,
                            const timespec* deadline) noexcept {
  const auto wait = [&]() noexcept { return real_pthread_mutex_clocklock(mutex, clock, deadline); };
  // What is no clock is an error also where the mutex is free.
  return fencepost::preload::is_known(clock) ? take_mutex(mutex, HERE, wait) : wait();
}
int pthread_mutex_unlock(pthread_mutex_t* mutex) noexcept { return unlock_mutex(mutex, HERE); }

int mtx_init(mtx_t* mutex, int type) {
  const int result = real_mtx_init(mutex, type);
  if (result == thrd_success) remember(posix(mutex), HERE);
  return result;
}
void mtx_destroy(mtx_t* mutex) { destroy_mutex(posix(mutex)); }
int mtx_lock(mtx_t* mutex) { return as_c11(lock_mutex(posix(mutex), HERE)); }
int mtx_trylock(mtx_t* mutex) { return as_c11(try_lock_mutex(posix(mutex), HERE)); }
int mtx_timedlock(mtx_t* mutex, const timespec* deadline) {
  return as_c11(lock_mutex_until(posix(mutex), deadline, HERE));
}
int mtx_unlock(mtx_t* mutex) { return as_c11(unlock_mutex(posix(mutex), HERE)); }
