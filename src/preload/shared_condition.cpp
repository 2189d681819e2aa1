// SPDX-License-Identifier: MIT
#include "shared_condition.hpp"

#include <cstddef>
#include <cstdint>

#include "c_library/cancellable.h"
#include "c_library/exported.hpp"
#include "c_library/real.hpp"
#include "mutex_object.hpp"

namespace fencepost::preload {

namespace {

FENCEPOST_REAL(pthread_cond_wait);
FENCEPOST_REAL(pthread_cond_timedwait);
FENCEPOST_REAL(pthread_cond_clockwait);
FENCEPOST_REAL(pthread_cond_signal);
FENCEPOST_REAL(pthread_cond_broadcast);
FENCEPOST_REAL(pthread_mutex_lock);
FENCEPOST_REAL(pthread_mutex_unlock);

constexpr std::size_t stand_ins = 64;
constinit pthread_mutex_t stand_in[stand_ins]{};

/// In the child nobody is between one's own mutex and the sleep, and who was at the fork() does not
/// come back.
[[gnu::constructor]] void free_in_children() noexcept {
  ::pthread_atfork(nullptr, nullptr, [] {
    for (pthread_mutex_t& one : stand_in) one = PTHREAD_MUTEX_INITIALIZER;
  });
}

pthread_mutex_t* stand_in_at(pthread_cond_t* condition) noexcept {
  return &stand_in[reinterpret_cast<std::uintptr_t>(condition) / sizeof(pthread_cond_t) %
                   stand_ins];
}

int real_wait(pthread_cond_t* condition, pthread_mutex_t* mutex, const clockid_t* clock,
              const timespec* deadline) {
  if (deadline == nullptr) return real_pthread_cond_wait(condition, mutex);
  if (clock == nullptr) return real_pthread_cond_timedwait(condition, mutex, deadline);
  return real_pthread_cond_clockwait(condition, mutex, *clock, deadline);
}

template <class Notify>
int notify(pthread_cond_t* condition, Notify notify_all_or_one) noexcept {
  pthread_mutex_t* const between = stand_in_at(condition);
  real_pthread_mutex_lock(between);
  const int error = notify_all_or_one(condition);
  real_pthread_mutex_unlock(between);
  return error;
}

}  // namespace

int shared_wait(pthread_cond_t* condition, pthread_mutex_t* mutex, const clockid_t* clock,
                const timespec* deadline) noexcept {
  if (is_glibcs(kind_of(mutex))) return real_wait(condition, mutex, clock, deadline);
  if (const int error = may_unlock_mutex(mutex); error != 0) return error;
  struct call {
    pthread_cond_t* condition;
    pthread_mutex_t* mutex;
    const clockid_t* clock;
    const timespec* deadline;
    pthread_mutex_t* between;
    int error;
  } one{condition, mutex, clock, deadline, stand_in_at(condition), 0};
  real_pthread_mutex_lock(one.between);
  static_cast<void>(unlock_mutex(mutex));
  // glibc has turned cancellation to asynchronous while it sleeps, and holds `between` again when
  // its handler is through.
  fencepost_preload_cancellable(
      [](void* argument) {
        call& own = *static_cast<call*>(argument);
        own.error = real_wait(own.condition, own.between, own.clock, own.deadline);
      },
      [](void* argument) {
        call& own = *static_cast<call*>(argument);
        real_pthread_mutex_unlock(own.between);
        static_cast<void>(lock_mutex(own.mutex));
      },
      &one);
  real_pthread_mutex_unlock(one.between);
  static_cast<void>(lock_mutex(mutex));
  return one.error;
}

int shared_signal(pthread_cond_t* condition) noexcept {
  return notify(condition, [](pthread_cond_t* one) { return real_pthread_cond_signal(one); });
}

int shared_broadcast(pthread_cond_t* condition) noexcept {
  return notify(condition, [](pthread_cond_t* one) { return real_pthread_cond_broadcast(one); });
}

}  // namespace fencepost::preload
