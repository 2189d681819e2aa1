// SPDX-License-Identifier: MIT
//
// A pthread_mutex_t with one of our locks in it.
//
// Which kind of mutex it is stays where glibc's own functions and its static initialisers put it,
// and is read from there. The rest of the object is ours: all zeroes are a free mutex, to glibc as
// to each of our locks, so that PTHREAD_MUTEX_INITIALIZER and memory that was never initialised but
// zeroed serve as before.
//
//     0   lock     the lock
//     8   depth    of a recursive mutex: how often its owner has it; the owner's alone
//     16  kind     glibc's
//     24  owner    of a recursive or error-checking mutex: the thread that has it, or nobody. Set
//                  and cleared by the owner alone, or by what it is in the child of its fork(),
//                  with the lock held; others may see anything but themselves.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "this_thread.hpp"

namespace fencepost::preload {

/// What glibc writes into __kind: the type in the lowest bits, the others for what we leave to it.
enum mutex_kind : int {
  normal = PTHREAD_MUTEX_TIMED_NP,
  recursive = PTHREAD_MUTEX_RECURSIVE_NP,
  error_checking = PTHREAD_MUTEX_ERRORCHECK_NP,
  adaptive = PTHREAD_MUTEX_ADAPTIVE_NP,
  type_of = 3,
  /// Whether lock elision is wanted, which is nothing to our locks.
  elision = 0x300
};

inline int kind_of(const pthread_mutex_t* mutex) noexcept { return mutex->__data.__kind; }

/// Neither recursive nor error-checking, and ours: there is nothing to do but to lock.
inline bool is_plain(int kind) noexcept {
  return (kind & ~elision) == normal || (kind & ~elision) == adaptive;
}

/// Robust, priority-inheriting, priority-protected, shared by processes, or destroyed: glibc's.
inline bool is_glibcs(int kind) noexcept { return (kind & ~(type_of | elision)) != 0; }

template <class Lock>
struct mutex_object {
  alignas(8) Lock lock;
  alignas(8) std::uint32_t depth;
  alignas(8) int kind;
  alignas(8) std::atomic<thread_name> owner;

  static mutex_object& of(pthread_mutex_t* mutex) noexcept {
    static_assert(sizeof(Lock) <= 8);
    static_assert(offsetof(mutex_object, kind) == offsetof(pthread_mutex_t, __data.__kind));
    static_assert(sizeof(mutex_object) <= sizeof(pthread_mutex_t) &&
                  alignof(mutex_object) <= alignof(pthread_mutex_t));
    return *reinterpret_cast<mutex_object*>(mutex);
  }
};

// For the files that know a mutex but not its lock. Each is what the POSIX function of the same
// name does.
int lock_mutex(pthread_mutex_t* mutex) noexcept;
int unlock_mutex(pthread_mutex_t* mutex) noexcept;
/// 0, or EPERM where unlock_mutex() would return that.
int may_unlock_mutex(pthread_mutex_t* mutex) noexcept;

}  // namespace fencepost::preload
