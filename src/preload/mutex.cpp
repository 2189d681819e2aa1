// SPDX-License-Identifier: MIT
//
// The mutex functions of POSIX, on the lock that FENCEPOST_PRELOADED names: compiled once for each.
//
// Sources: POSIX.1-2017, pthread_mutex_lock(), _timedlock(), _destroy(); glibc's manual for
// pthread_mutex_clocklock() and the adaptive type.
#include <pthread.h>
#include <sched.h>

#include <cerrno>
#include <limits>

#include "c_library/deadline.hpp"
#include "c_library/exported.hpp"
#include "c_library/real.hpp"
#include "chosen_lock.hpp"
#include "given_deadline.hpp"
#include "mutex_object.hpp"

namespace fencepost::preload {

namespace {

FENCEPOST_REAL(pthread_mutex_init);
FENCEPOST_REAL(pthread_mutex_destroy);
FENCEPOST_REAL(pthread_mutex_lock);
FENCEPOST_REAL(pthread_mutex_trylock);
FENCEPOST_REAL(pthread_mutex_timedlock);
FENCEPOST_REAL(pthread_mutex_clocklock);
FENCEPOST_REAL(pthread_mutex_unlock);

using object = mutex_object<chosen_lock>;

// relaxed, all of the owner: a thread looks for itself alone, and what it finds of itself it wrote.
bool is_mine(const object& mutex) noexcept {
  return mutex.owner.load(std::memory_order_relaxed) == this_thread();
}

bool may_unlock(const object& mutex) noexcept {
  return is_or_was(mutex.owner.load(std::memory_order_relaxed));
}

void set_owner(object& mutex, thread_name owner) noexcept {
  mutex.owner.store(owner, std::memory_order_relaxed);
}

/// Set in the child of a fork(), by its only thread.
constinit bool is_child = false;

[[gnu::constructor]] void know_children() noexcept {
  ::pthread_atfork(nullptr, nullptr, [] { is_child = true; });
}

/// Tries to lock. A mutex that is free and yet not to be had is reserved for a thread that was
/// woken and is about to lock it; but in a child that thread may have been left behind in the
/// parent, and a try must not fail for ever.
template <class Lock>
bool try_lock(Lock& lock) noexcept {
  if (lock.try_lock()) return true;
  if constexpr (requires { lock.is_locked(); }) {
    if (!is_child) return false;
    constexpr int moments = 1000;
    for (int n = 0; n != moments; ++n) {
      if (lock.is_locked()) return false;
      ::sched_yield();
      if (lock.try_lock()) return true;
    }
    lock.lock();
    return true;
  }
  return false;
}

/// Unlocks. To do so with what is not locked is undefined, and some programs do it, also two
/// threads at once: with glibc nothing comes of it. A lock that keeps more in its word than a flag
/// would take that for something else; to lower a flag once more is nothing.
template <class Lock>
void unlock(Lock& lock) noexcept {
  if constexpr (requires { lock.unlock_if_locked(); }) {
    lock.unlock_if_locked();
  } else {
    lock.unlock();
  }
}

/// Locks a mutex that is recursive or error-checking, by acquire(), whose result is an error
/// number. `when_mine` is the error of an error-checking one that the caller has.
template <class Acquire>
int lock_checked(object& mutex, int kind, int when_mine, Acquire acquire) {
  const bool is_recursive = (kind & type_of) == recursive;
  if (is_mine(mutex)) {
    if (!is_recursive) return when_mine;
    if (mutex.depth == std::numeric_limits<std::uint32_t>::max()) return EAGAIN;
    ++mutex.depth;
    return 0;
  }
  const int error = acquire();
  if (error == 0) {
    set_owner(mutex, this_thread());
    mutex.depth = 1;
  }
  return error;
}

[[gnu::noinline]] int lock_by_kind(pthread_mutex_t* mutex, int kind) noexcept {
  if (is_glibcs(kind)) return real_pthread_mutex_lock(mutex);
  object& own = object::of(mutex);
  return lock_checked(own, kind, EDEADLK, [&]() noexcept {
    own.lock.lock();
    return 0;
  });
}

[[gnu::noinline]] int unlock_by_kind(pthread_mutex_t* mutex, int kind) noexcept {
  if (is_glibcs(kind)) return real_pthread_mutex_unlock(mutex);
  object& own = object::of(mutex);
  if (!may_unlock(own)) return EPERM;
  if ((kind & type_of) == recursive && --own.depth != 0) return 0;
  set_owner(own, nobody);
  own.lock.unlock();
  return 0;
}

int lock_until(pthread_mutex_t* mutex, clockid_t clock, const timespec* deadline) {
  object& own = object::of(mutex);
  const int kind = kind_of(mutex);
  const auto acquire = [&] {
    // A deadline that is none does not matter to whoever need not wait.
    if (try_lock(own.lock)) return 0;
    if (deadline == nullptr) {
      own.lock.lock();
      return 0;
    }
    // To glibc what is before the epoch is over, whatever its nanoseconds are.
    if (deadline->tv_sec >= 0 && !is_valid(*deadline)) return EINVAL;
    const auto until = [&](auto moment) { return own.lock.try_lock_until(moment); };
    return at(clock, *deadline, until) ? 0 : ETIMEDOUT;
  };
  return is_plain(kind) ? acquire() : lock_checked(own, kind, EDEADLK, acquire);
}

}  // namespace

int lock_mutex(pthread_mutex_t* mutex) noexcept {
  const int kind = kind_of(mutex);
  if (!is_plain(kind)) [[unlikely]]
    return lock_by_kind(mutex, kind);
  object::of(mutex).lock.lock();
  return 0;
}

int unlock_mutex(pthread_mutex_t* mutex) noexcept {
  const int kind = kind_of(mutex);
  if (!is_plain(kind)) [[unlikely]]
    return unlock_by_kind(mutex, kind);
  unlock(object::of(mutex).lock);
  return 0;
}

int may_unlock_mutex(pthread_mutex_t* mutex) noexcept {
  const int kind = kind_of(mutex);
  return is_plain(kind) || is_glibcs(kind) || may_unlock(object::of(mutex)) ? 0 : EPERM;
}

}  // namespace fencepost::preload

using namespace fencepost::preload;

int pthread_mutex_init(pthread_mutex_t* mutex, const pthread_mutexattr_t* attributes) noexcept {
  // It writes the kind, and zeroes elsewhere.
  return real_pthread_mutex_init(mutex, attributes);
}

int pthread_mutex_destroy(pthread_mutex_t* mutex) noexcept {
  if (!is_glibcs(kind_of(mutex))) {
    object& own = object::of(mutex);
    if (!try_lock(own.lock)) return EBUSY;
    unlock(own.lock);
    // glibc looks for users where it counts them.
    own.depth = 0;
    set_owner(own, nobody);
  }
  return real_pthread_mutex_destroy(mutex);
}

int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept { return lock_mutex(mutex); }

int pthread_mutex_trylock(pthread_mutex_t* mutex) noexcept {
  const int kind = kind_of(mutex);
  if (is_glibcs(kind)) [[unlikely]]
    return real_pthread_mutex_trylock(mutex);
  object& own = object::of(mutex);
  const auto acquire = [&]() noexcept { return try_lock(own.lock) ? 0 : EBUSY; };
  return is_plain(kind) ? acquire() : lock_checked(own, kind, EBUSY, acquire);
}

int pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* deadline) noexcept {
  if (is_glibcs(kind_of(mutex))) return real_pthread_mutex_timedlock(mutex, deadline);
  return lock_until(mutex, CLOCK_REALTIME, as_given(deadline));
}

int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock,
                            const timespec* deadline) noexcept {
  if (is_glibcs(kind_of(mutex))) return real_pthread_mutex_clocklock(mutex, clock, deadline);
  if (!is_known(clock)) return EINVAL;
  return lock_until(mutex, clock, as_given(deadline));
}

int pthread_mutex_unlock(pthread_mutex_t* mutex) noexcept { return unlock_mutex(mutex); }
