// SPDX-License-Identifier: MIT
//
// The semaphores of POSIX, on fencepost::counting_semaphore, whichever lock was chosen for mutexes.
//
// Those that processes share, named ones among them, are glibc's: sem_init() and sem_open() write
// which they are. It also writes the permits, where a counting_semaphore has them.
//
//     0   permits  the counting_semaphore
//     8   shared   glibc's: zero if the semaphore is one process's own
//
// Waiting is a point of cancellation, and ends with a signal as the futex call does: unless its
// handler has SA_RESTART, and always where there is a deadline.
//
// Source: POSIX.1-2017, sem_wait(), sem_timedwait(), sem_post(), sem_init(); sem_clockwait() is
// glibc's, and in POSIX.1-2024. Where an error may be told or not, it is told where glibc tells it.
#include <pthread.h>
#include <semaphore.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>

#include "c_library/cancellable.h"
#include "c_library/deadline.hpp"
#include "c_library/exported.hpp"
#include "c_library/real.hpp"
#include "fencepost/counting_semaphore.hpp"

namespace fencepost::preload {

namespace {

FENCEPOST_REAL(sem_init);
FENCEPOST_REAL(sem_destroy);
FENCEPOST_REAL(sem_wait);
FENCEPOST_REAL(sem_trywait);
FENCEPOST_REAL(sem_timedwait);
FENCEPOST_REAL(sem_clockwait);
FENCEPOST_REAL(sem_post);
FENCEPOST_REAL(sem_getvalue);

struct object {
  counting_semaphore<> permits;
  int shared;
};
static_assert(sizeof(object) <= sizeof(sem_t) && alignof(object) <= alignof(sem_t));
static_assert(offsetof(object, shared) == 8);

object& own(sem_t* semaphore) noexcept { return *reinterpret_cast<object*>(semaphore); }

bool is_glibcs(sem_t* semaphore) noexcept { return own(semaphore).shared != 0; }

int result(int error) noexcept {
  if (error == 0) return 0;
  errno = error;
  return -1;
}

/// Sleeps by sleep(word, expected) while there is no permit. The thread can be cancelled in that
/// alone, at any instruction.
template <class Sleep>
int wait(object& semaphore, Sleep sleep) {
  ::pthread_testcancel();
  if (semaphore.permits.try_acquire()) return 0;
  struct call {
    object& semaphore;
    Sleep sleep;
    futex::outcome came = futex::outcome::woken;
    bool has_acquired = false;
    bool sleeps = false;
    int type = PTHREAD_CANCEL_DEFERRED;

    void acquire() {
      ::pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &type);
      has_acquired =
          semaphore.permits.acquire_by([this](const futex::word& on, std::uint32_t expected) {
            sleeps = true;
            ::pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, nullptr);
            came = sleep(on, expected);
            ::pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, nullptr);
            sleeps = false;
            return came;
          });
      ::pthread_setcanceltype(type, nullptr);
    }
    void cancelled() noexcept {
      ::pthread_setcanceltype(type, nullptr);
      if (sleeps) semaphore.permits.abandon();
    }
  } one{semaphore, sleep};
  fencepost_preload_cancellable([](void* argument) { static_cast<call*>(argument)->acquire(); },
                                [](void* argument) { static_cast<call*>(argument)->cancelled(); },
                                &one);
  if (one.has_acquired) return 0;
  return result(one.came == futex::outcome::timed_out ? ETIMEDOUT : EINTR);
}

int wait_until(object& semaphore, clockid_t clock, const timespec& deadline) {
  if (!is_valid(deadline)) return result(EINVAL);
  return wait(semaphore, [&](const futex::word& on, std::uint32_t expected) {
    return at(clock, deadline, [&](auto moment) {
      return futex::wait_until(on, expected, moment, futex::scope::process, futex::signals::end_it);
    });
  });
}

}  // namespace

}  // namespace fencepost::preload

using namespace fencepost;
using namespace fencepost::preload;

int sem_init(sem_t* semaphore, int shared, unsigned permits) noexcept {
  return real_sem_init(semaphore, shared, permits);
}

int sem_destroy(sem_t* semaphore) noexcept {
  return is_glibcs(semaphore) ? real_sem_destroy(semaphore) : 0;
}

int sem_wait(sem_t* semaphore) {
  if (is_glibcs(semaphore)) return real_sem_wait(semaphore);
  return preload::wait(own(semaphore), [](const futex::word& on, std::uint32_t expected) {
    return futex::wait(on, expected, futex::scope::process, futex::signals::end_it);
  });
}

int sem_trywait(sem_t* semaphore) noexcept {
  if (is_glibcs(semaphore)) return real_sem_trywait(semaphore);
  return result(own(semaphore).permits.try_acquire() ? 0 : EAGAIN);
}

int sem_timedwait(sem_t* semaphore, const timespec* deadline) {
  if (is_glibcs(semaphore)) return real_sem_timedwait(semaphore, deadline);
  return preload::wait_until(own(semaphore), CLOCK_REALTIME, *deadline);
}

int sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* deadline) {
  if (is_glibcs(semaphore)) return real_sem_clockwait(semaphore, clock, deadline);
  if (!is_known(clock)) return result(EINVAL);
  return preload::wait_until(own(semaphore), clock, *deadline);
}

int sem_post(sem_t* semaphore) noexcept {
  if (is_glibcs(semaphore)) return real_sem_post(semaphore);
  return result(own(semaphore).permits.try_release() ? 0 : EOVERFLOW);
}

int sem_getvalue(sem_t* semaphore, int* permits) noexcept {
  if (is_glibcs(semaphore)) return real_sem_getvalue(semaphore, permits);
  *permits = static_cast<int>(own(semaphore).permits.permits());
  return 0;
}
