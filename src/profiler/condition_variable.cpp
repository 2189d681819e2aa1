// SPDX-License-Identifier: MIT
//
// The condition variables of POSIX and C11: waits and notifications are counted, and the mutex is
// counted as released for as long as the wait takes.
#include <pthread.h>

#include <cerrno>

#include "../preload/c_library/c11.hpp"
#include "../preload/c_library/cancellable.h"
#include "../preload/c_library/exported.hpp"
#include "../preload/c_library/real.hpp"
#include "mutex.hpp"
#include "record/accounting.hpp"

FENCEPOST_EXPORTED(cnd_init);

namespace fencepost::profiler {

namespace {

FENCEPOST_REAL(pthread_cond_init);
FENCEPOST_REAL(pthread_cond_destroy);
FENCEPOST_REAL(pthread_cond_wait);
FENCEPOST_REAL(pthread_cond_timedwait);
FENCEPOST_REAL(pthread_cond_clockwait);
FENCEPOST_REAL(pthread_cond_signal);
FENCEPOST_REAL(pthread_cond_broadcast);
FENCEPOST_REAL(cnd_init);

// Such a condition variable stays glibc's, as do mutexes that are not counted. The flag is where
// ../preload/condition_object.hpp has it.
bool is_shared(const pthread_cond_t* condition) noexcept {
  return (condition->__data.__wrefs & 1) != 0;
}

/// One call of a wait function.
template <class Wait>
class one_wait {
 public:
  one_wait(thread& me, pthread_cond_t* condition, pthread_mutex_t* mutex, const void* from,
           Wait wait) noexcept
      : me_(me),
        from_(from),
        wait_(wait),
        mutex_(leave_for_a_wait(me, mutex, from)),
        waiting_(me, lock_at(condition, kind::condition, from), from, mode::alone,
                 mutex_ != nullptr && !is_shared(condition)) {}

  int run() noexcept {
    fencepost_preload_cancellable([](void* own) { static_cast<one_wait*>(own)->wait(); },
                                  [](void* own) { static_cast<one_wait*>(own)->back(); }, this);
    back();
    return error_;
  }

 private:
  void wait() { error_ = wait_(); }

  /// The mutex is this thread's again, also where it was cancelled; not where it is another's, or
  /// nobody's any more.
  void back() noexcept {
    waiting_.ended(error_ == 0);
    me_.retakes.store(0, std::memory_order_relaxed);
    const bool has_it = error_ != EPERM && error_ != ENOTRECOVERABLE;
    if (mutex_ != nullptr && has_it) acquired(me_, *mutex_, from_, mode::alone);
  }

  thread& me_;
  const void* from_;
  Wait wait_;
  lock* mutex_;
  waiting waiting_;
  int error_ = ECANCELED;
};

template <class Wait>
int wait_for(pthread_cond_t* condition, pthread_mutex_t* mutex, const void* from, Wait wait) {
  thread* const me = this_thread();
  if (me == nullptr) return wait();
  // std::condition_variable's functions are no more than this one's callers.
  return one_wait<Wait>(*me, condition, mutex, outside_standard_library(from), wait).run();
}

int wait(pthread_cond_t* condition, pthread_mutex_t* mutex, const void* from) {
  return wait_for(condition, mutex, from, [&] { return real_pthread_cond_wait(condition, mutex); });
}

int wait_until(pthread_cond_t* condition, pthread_mutex_t* mutex, const timespec* deadline,
               const void* from) {
  return wait_for(condition, mutex, from,
                  [&] { return real_pthread_cond_timedwait(condition, mutex, deadline); });
}

int notified(pthread_cond_t* condition) noexcept {
  if (lock* const one = find_lock(condition)) add(one->wakes, 1);
  return 0;
}

int signal(pthread_cond_t* condition) noexcept {
  notified(condition);
  return real_pthread_cond_signal(condition);
}

int broadcast(pthread_cond_t* condition) noexcept {
  notified(condition);
  return real_pthread_cond_broadcast(condition);
}

int destroy(pthread_cond_t* condition) noexcept {
  const int error = real_pthread_cond_destroy(condition);
  if (error == 0) destroyed(condition);
  return error;
}

}  // namespace

}  // namespace fencepost::profiler

using namespace fencepost::profiler;
using fencepost::preload::as_c11;
using fencepost::preload::posix;

#define HERE __builtin_return_address(0)

int pthread_cond_init(pthread_cond_t* condition, const pthread_condattr_t* attributes) noexcept {
  const int error = real_pthread_cond_init(condition, attributes);
  if (error == 0) initialised(condition, kind::condition, HERE);
  return error;
}
int pthread_cond_destroy(pthread_cond_t* condition) noexcept { return destroy(condition); }
int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  return wait(condition, mutex, HERE);
}
int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                           const timespec* deadline) {
  return wait_until(condition, mutex, deadline, HERE);
}
int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                           const timespec* deadline) {
  return wait_for(condition, mutex, HERE,
                  [&] { return real_pthread_cond_clockwait(condition, mutex, clock, deadline); });
}
int pthread_cond_signal(pthread_cond_t* condition) noexcept { return signal(condition); }
int pthread_cond_broadcast(pthread_cond_t* condition) noexcept { return broadcast(condition); }

int cnd_init(cnd_t* condition) {
  const int result = real_cnd_init(condition);
  if (result == thrd_success) initialised(condition, kind::condition, HERE);
  return result;
}
void cnd_destroy(cnd_t* condition) { destroy(posix(condition)); }
int cnd_wait(cnd_t* condition, mtx_t* mutex) {
  return as_c11(wait(posix(condition), posix(mutex), HERE));
}
int cnd_timedwait(cnd_t* condition, mtx_t* mutex, const timespec* deadline) {
  return as_c11(wait_until(posix(condition), posix(mutex), deadline, HERE));
}
int cnd_signal(cnd_t* condition) { return as_c11(signal(posix(condition))); }
int cnd_broadcast(cnd_t* condition) { return as_c11(broadcast(posix(condition))); }
