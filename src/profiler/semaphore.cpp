// SPDX-License-Identifier: MIT
//
// The semaphores of POSIX: waits and posts are counted.
#include <semaphore.h>

#include <cerrno>
#include <cstring>

#include "../preload/c_library/cancellable.h"
#include "../preload/c_library/exported.hpp"
#include "../preload/c_library/real.hpp"
#include "../preload/given_deadline.hpp"
#include "record/accounting.hpp"

namespace fencepost::profiler {

namespace {

FENCEPOST_REAL(sem_init);
FENCEPOST_REAL(sem_destroy);
FENCEPOST_REAL(sem_wait);
FENCEPOST_REAL(sem_trywait);
FENCEPOST_REAL(sem_timedwait);
FENCEPOST_REAL(sem_clockwait);
FENCEPOST_REAL(sem_post);

// Such a semaphore stays glibc's. It says so where ../preload/semaphore.cpp looks.
bool is_shared(const sem_t* semaphore) noexcept {
  int shared = 0;
  std::memcpy(&shared, semaphore->__size + 8, sizeof shared);
  return shared != 0;
}

/// One call of a wait function, where there is no permit.
template <class Wait>
class one_wait {
 public:
  one_wait(thread& me, lock& one, sem_t* semaphore, const void* from, Wait wait) noexcept
      : wait_(wait), waiting_(me, one, from, mode::alone, !is_shared(semaphore)) {}

  int run() {
    fencepost_preload_cancellable([](void* own) { static_cast<one_wait*>(own)->wait(); },
                                  [](void* own) { static_cast<one_wait*>(own)->ended(); }, this);
    ended();
    return result_;
  }

 private:
  void wait() { result_ = wait_(); }

  /// Also where the thread was cancelled.
  void ended() noexcept { waiting_.ended(result_ == 0); }

  Wait wait_;
  waiting waiting_;
  int result_ = -1;
};

template <class Wait>
int wait_for(sem_t* semaphore, const void* from, Wait wait) {
  thread* const me = this_thread();
  if (me == nullptr) return wait();
  // What this function is even where it need not wait.
  ::pthread_testcancel();
  lock& one = lock_at(semaphore, kind::semaphore, from);
  const int before = errno;
  if (real_sem_trywait(semaphore) == 0) {
    add(one.acquisitions, 1);
    return 0;
  }
  if (errno != EAGAIN) return -1;
  errno = before;
  const int result = one_wait<Wait>(*me, one, semaphore, from, wait).run();
  if (result == 0) add(one.acquisitions, 1);
  return result;
}

}  // namespace

}  // namespace fencepost::profiler

using namespace fencepost::profiler;
using fencepost::preload::is_refused;

#define HERE __builtin_return_address(0)

// A deadline that is refused is refused also where there is a permit, and nobody is cancelled
// there.

int sem_init(sem_t* semaphore, int shared, unsigned value) noexcept {
  const int result = real_sem_init(semaphore, shared, value);
  if (result == 0) initialised(semaphore, kind::semaphore, HERE);
  return result;
}

int sem_destroy(sem_t* semaphore) noexcept {
  const int result = real_sem_destroy(semaphore);
  if (result == 0) destroyed(semaphore);
  return result;
}

int sem_wait(sem_t* semaphore) {
  return wait_for(semaphore, HERE, [&] { return real_sem_wait(semaphore); });
}

int sem_timedwait(sem_t* semaphore, const timespec* deadline) {
  const auto wait = [&] { return real_sem_timedwait(semaphore, deadline); };
  return is_refused(CLOCK_REALTIME, deadline) ? wait() : wait_for(semaphore, HERE, wait);
}

int sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* deadline) {
  const auto wait = [&] { return real_sem_clockwait(semaphore, clock, deadline); };
  return is_refused(clock, deadline) ? wait() : wait_for(semaphore, HERE, wait);
}

int sem_trywait(sem_t* semaphore) noexcept {
  const int result = real_sem_trywait(semaphore);
  if (lock* const one = find_lock(semaphore)) {
    add(result == 0 ? one->acquisitions : one->refused, 1);
  }
  return result;
}

int sem_post(sem_t* semaphore) noexcept {
  // Before the post, after which it may be gone.
  if (lock* const one = find_lock(semaphore)) add(one->wakes, 1);
  return real_sem_post(semaphore);
}
