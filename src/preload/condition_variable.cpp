// SPDX-License-Identifier: MIT
//
// The condition variables of POSIX, for mutexes of every kind: glibc's own wait would unlock and
// lock a mutex as if it were glibc's.
//
// A condition variable may be destroyed once nobody is blocked on it, also when those who were
// woken have not yet returned: so they are counted, and pthread_cond_destroy() waits for them.
//
// Cancelled is a thread while it sleeps. It may have been notified by then, so it notifies another
// before it goes, who then wakes for nothing, as POSIX allows.
//
// Source: POSIX.1-2017, pthread_cond_timedwait(), pthread_cond_destroy().
#include <pthread.h>

#include <cerrno>

#include "c_library/cancellable.h"
#include "c_library/deadline.hpp"
#include "c_library/exported.hpp"
#include "c_library/real.hpp"
#include "condition_object.hpp"
#include "mutex_object.hpp"
#include "shared_condition.hpp"

namespace fencepost::preload {

namespace {

FENCEPOST_REAL(pthread_cond_init);
FENCEPOST_REAL(pthread_cond_destroy);

void enter(condition_object& condition) noexcept {
  // relaxed: who destroys the object comes after this by the mutex, or has no right to.
  condition.inside.fetch_add(condition_object::one_inside, std::memory_order_relaxed);
}

void leave(condition_object& condition) noexcept {
  // release: what this thread did to the object precedes its end. Pairs with the acquire in
  // pthread_cond_destroy().
  const std::uint32_t before =
      condition.inside.fetch_sub(condition_object::one_inside, std::memory_order_release);
  if (before == (condition_object::one_inside | condition_object::somebody_destroys)) {
    futex::wake_all(condition.inside);
  }
}

/// One call of a wait function: what fencepost::condition_variable takes for the lock.
class waiting {
 public:
  waiting(condition_object& condition, pthread_mutex_t* mutex) noexcept
      : condition_(condition), mutex_(mutex) {}

  void unlock() noexcept {
    error_ = unlock_mutex(mutex_);
    if (error_ != 0) {
      // It is not this thread's. A notification keeps the thread from sleep, for it is one of those
      // that wait by now; if another one wakes by it, that is for nothing.
      condition_.waiters.notify_one();
      return;
    }
    is_away_ = true;
    // From here until the sleep is over there is nothing that must not be left unfinished.
    ::pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &type_);
  }

  void lock() noexcept {
    if (error_ != 0) {
      leave(condition_);
      return;
    }
    ::pthread_setcanceltype(type_, nullptr);
    is_away_ = false;
    leave(condition_);
    error_ = lock_mutex(mutex_);
  }

  /// Cancelled while it slept, or left by a jump, at that moment or another.
  void cancelled() noexcept {
    if (!is_away_) return;
    condition_.waiters.notify_one();
    lock();
  }

  /// Of the unlock, after which there was no sleep, or of the lock.
  [[nodiscard]] int error() const noexcept { return error_; }

 private:
  condition_object& condition_;
  pthread_mutex_t* mutex_;
  /// It has freed the mutex, and has not begun to take it back.
  bool is_away_ = false;
  int type_ = PTHREAD_CANCEL_DEFERRED;
  int error_ = 0;
};

/// Has wait(waiting&) sleep on the condition variable; it says whether it was in time.
template <class Wait>
int sleep(condition_object& condition, pthread_mutex_t* mutex, Wait wait) noexcept {
  struct call : waiting {
    Wait wait;
    bool in_time;
  } one{{condition, mutex}, wait, true};
  enter(condition);
  fencepost_preload_cancellable(
      [](void* argument) {
        call& own = *static_cast<call*>(argument);
        own.in_time = own.wait(own);
      },
      [](void* argument) { static_cast<call*>(argument)->cancelled(); }, &one);
  if (one.error() != 0) return one.error();
  return one.in_time ? 0 : ETIMEDOUT;
}

}  // namespace

int wait(pthread_cond_t* condition, pthread_mutex_t* mutex) noexcept {
  condition_object& own = condition_object::of(condition);
  if (own.is_glibcs()) return shared_wait(condition, mutex, nullptr, nullptr);
  return sleep(own, mutex, [&own](waiting& lock) noexcept {
    own.waiters.wait(lock);
    return true;
  });
}

int wait_until(pthread_cond_t* condition, pthread_mutex_t* mutex, const clockid_t* clock,
               const timespec& deadline) noexcept {
  // Before the mutex is looked at, as glibc does.
  if (!is_valid(deadline) || (clock != nullptr && !is_known(*clock))) return EINVAL;
  condition_object& own = condition_object::of(condition);
  if (own.is_glibcs()) return shared_wait(condition, mutex, clock, &deadline);
  return sleep(own, mutex, [&](waiting& lock) {
    return at(clock != nullptr ? *clock : own.clock(), deadline, [&](auto moment) {
      return own.waiters.wait_until(lock, moment) == std::cv_status::no_timeout;
    });
  });
}

int signal(pthread_cond_t* condition) noexcept {
  condition_object& own = condition_object::of(condition);
  if (own.is_glibcs()) return shared_signal(condition);
  own.waiters.notify_one();
  return 0;
}

int broadcast(pthread_cond_t* condition) noexcept {
  condition_object& own = condition_object::of(condition);
  if (own.is_glibcs()) return shared_broadcast(condition);
  own.waiters.notify_all();
  return 0;
}

int destroy(pthread_cond_t* condition) noexcept {
  condition_object& own = condition_object::of(condition);
  if (own.is_glibcs()) return real_pthread_cond_destroy(condition);
  // acquire, here and below: pairs with leave().
  std::uint32_t inside =
      own.inside.fetch_or(condition_object::somebody_destroys, std::memory_order_acquire) |
      condition_object::somebody_destroys;
  while (inside != condition_object::somebody_destroys) {
    futex::wait(own.inside, inside);
    inside = own.inside.load(std::memory_order_acquire);
  }
  own.inside.store(0, std::memory_order_relaxed);
  return 0;
}

}  // namespace fencepost::preload

using namespace fencepost;

int pthread_cond_init(pthread_cond_t* condition, const pthread_condattr_t* attributes) noexcept {
  // It writes the flags, and zeroes elsewhere.
  return preload::real_pthread_cond_init(condition, attributes);
}

int pthread_cond_destroy(pthread_cond_t* condition) noexcept { return preload::destroy(condition); }

int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  return preload::wait(condition, mutex);
}

int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                           const timespec* deadline) {
  return preload::wait_until(condition, mutex, nullptr, *deadline);
}

int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                           const timespec* deadline) {
  return preload::wait_until(condition, mutex, &clock, *deadline);
}

int pthread_cond_signal(pthread_cond_t* condition) noexcept { return preload::signal(condition); }

int pthread_cond_broadcast(pthread_cond_t* condition) noexcept {
  return preload::broadcast(condition);
}
