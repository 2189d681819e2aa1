// SPDX-License-Identifier: MIT
//
// The read-write locks of POSIX, on fencepost::shared_mutex, whichever lock was chosen for mutexes.
//
// What processes share is glibc's, and so is what prefers writers: a shared_mutex prefers readers,
// as glibc's do unless a program asks for something else. Both are told by what
// pthread_rwlock_init() and the static initialisers write. All zeroes are
// PTHREAD_RWLOCK_INITIALIZER.
//
//     0   lock    the shared_mutex
//     8   owner   the thread that has it alone, or nobody. Set and cleared by the owner alone, with
//                 the lock held; others may see anything but themselves.
//
// To unlock what one does not have is undefined, and nothing comes of it here: the owner alone ends
// its writing, and shares are given back while there are any.
//
// Source: POSIX.1-2017, pthread_rwlock_rdlock(), _wrlock(), _timedrdlock(), _unlock(); the forms
// with a clock are glibc's.
#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <cstddef>

#include "c_library/deadline.hpp"
#include "c_library/exported.hpp"
#include "c_library/real.hpp"
#include "fencepost/shared_mutex.hpp"
#include "given_deadline.hpp"
#include "this_thread.hpp"

namespace fencepost::preload {

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

struct object {
  shared_mutex lock;
  alignas(8) std::atomic<thread_name> owner;
};
static_assert(sizeof(object) <= offsetof(pthread_rwlock_t, __data.__cur_writer));

object& own(pthread_rwlock_t* lock) noexcept { return *reinterpret_cast<object*>(lock); }

bool is_glibcs(const pthread_rwlock_t* lock) noexcept {
  return lock->__data.__shared != 0 ||
         lock->__data.__flags == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP;
}

// relaxed, all of the owner: a thread looks for itself alone, and what it finds of itself it wrote.
bool is_mine(const object& one) noexcept {
  return one.owner.load(std::memory_order_relaxed) == this_thread();
}

int wrote(object& one, int error) noexcept {
  if (error == 0) one.owner.store(this_thread(), std::memory_order_relaxed);
  return error;
}

/// `when_taken` says what to do where the lock cannot be had at once.
template <class WhenTaken>
int share(object& one, WhenTaken when_taken) {
  if (one.lock.try_lock_shared()) return 0;
  if (is_mine(one)) return EDEADLK;
  return one.lock.is_full() ? EAGAIN : when_taken();
}

template <class WhenTaken>
int write(object& one, WhenTaken when_taken) {
  if (one.lock.try_lock()) return wrote(one, 0);
  return is_mine(one) ? EDEADLK : wrote(one, when_taken());
}

int share(object& one) noexcept {
  return share(one, [&]() noexcept {
    one.lock.lock_shared();
    return 0;
  });
}

int write(object& one) noexcept {
  return write(one, [&]() noexcept {
    one.lock.lock();
    return 0;
  });
}

int share_until(object& one, clockid_t clock, const timespec* deadline) {
  if (is_refused(clock, deadline)) return EINVAL;
  if (deadline == nullptr) return share(one);
  return share(one, [&] {
    const auto until = [&](auto moment) { return one.lock.try_lock_shared_until(moment); };
    return at(clock, *deadline, until) ? 0 : ETIMEDOUT;
  });
}

int write_until(object& one, clockid_t clock, const timespec* deadline) {
  if (is_refused(clock, deadline)) return EINVAL;
  if (deadline == nullptr) return write(one);
  return write(one, [&] {
    const auto until = [&](auto moment) { return one.lock.try_lock_until(moment); };
    return at(clock, *deadline, until) ? 0 : ETIMEDOUT;
  });
}

}  // namespace

}  // namespace fencepost::preload

using namespace fencepost::preload;

int pthread_rwlock_init(pthread_rwlock_t* lock, const pthread_rwlockattr_t* attributes) noexcept {
  // It writes the kind, and zeroes elsewhere.
  return real_pthread_rwlock_init(lock, attributes);
}

int pthread_rwlock_destroy(pthread_rwlock_t* lock) noexcept {
  return is_glibcs(lock) ? real_pthread_rwlock_destroy(lock) : 0;
}

int pthread_rwlock_rdlock(pthread_rwlock_t* lock) noexcept {
  if (is_glibcs(lock)) return real_pthread_rwlock_rdlock(lock);
  return share(own(lock));
}

int pthread_rwlock_tryrdlock(pthread_rwlock_t* lock) noexcept {
  if (is_glibcs(lock)) return real_pthread_rwlock_tryrdlock(lock);
  auto& one = own(lock).lock;
  if (one.try_lock_shared()) return 0;
  return one.is_full() ? EAGAIN : EBUSY;
}

int pthread_rwlock_timedrdlock(pthread_rwlock_t* lock, const timespec* deadline) noexcept {
  if (is_glibcs(lock)) return real_pthread_rwlock_timedrdlock(lock, deadline);
  return share_until(own(lock), CLOCK_REALTIME, as_given(deadline));
}

int pthread_rwlock_clockrdlock(pthread_rwlock_t* lock, clockid_t clock,
                               const timespec* deadline) noexcept {
  if (is_glibcs(lock)) return real_pthread_rwlock_clockrdlock(lock, clock, deadline);
  return share_until(own(lock), clock, as_given(deadline));
}

int pthread_rwlock_wrlock(pthread_rwlock_t* lock) noexcept {
  if (is_glibcs(lock)) return real_pthread_rwlock_wrlock(lock);
  return write(own(lock));
}

int pthread_rwlock_trywrlock(pthread_rwlock_t* lock) noexcept {
  if (is_glibcs(lock)) return real_pthread_rwlock_trywrlock(lock);
  object& one = own(lock);
  return wrote(one, one.lock.try_lock() ? 0 : EBUSY);
}

int pthread_rwlock_timedwrlock(pthread_rwlock_t* lock, const timespec* deadline) noexcept {
  if (is_glibcs(lock)) return real_pthread_rwlock_timedwrlock(lock, deadline);
  return write_until(own(lock), CLOCK_REALTIME, as_given(deadline));
}

int pthread_rwlock_clockwrlock(pthread_rwlock_t* lock, clockid_t clock,
                               const timespec* deadline) noexcept {
  if (is_glibcs(lock)) return real_pthread_rwlock_clockwrlock(lock, clock, deadline);
  return write_until(own(lock), clock, as_given(deadline));
}

int pthread_rwlock_unlock(pthread_rwlock_t* lock) noexcept {
  if (is_glibcs(lock)) return real_pthread_rwlock_unlock(lock);
  object& one = own(lock);
  if (is_or_was(one.owner.load(std::memory_order_relaxed))) {
    one.owner.store(nobody, std::memory_order_relaxed);
    one.lock.unlock();
  } else {
    one.lock.unlock_if_shared();
  }
  return 0;
}
