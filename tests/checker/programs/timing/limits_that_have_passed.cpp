// SPDX-License-Identifier: MIT
// Who waits with a limit that has passed is told so at once, without --timeouts.
//
// case: a_mutex_that_is_held
// flags: -DHELD=std::timed_mutex -DTRY=object.try_lock_for(0s)
// expect: all=holds
//
// case: a_mutex_that_is_held_and_a_limit_before_now
// flags: -DHELD=std::timed_mutex -DTRY=object.try_lock_until(std::chrono::steady_clock::time_point())
// expect: all=holds
//
// case: a_shared_mutex_that_is_held
// flags: -DHELD=std::shared_timed_mutex -DTRY=object.try_lock_shared_for(0s)
// expect: all=holds
//
// case: a_mutex_that_is_expected
// flags: -DHELD=std::timed_mutex -DTRY=!object.try_lock_for(0s)
// expect: all=violated:assertion
//
// case: a_mutex_with_a_limit_to_come
// flags: -DHELD=std::timed_mutex -DTRY=object.try_lock_for(1s)
// expect: all=violated:deadlock
//
// case: a_condition
// flags: -DCONDITION
// expect: all=holds
//
// case: a_condition_that_is_asked_for_ever
// flags: -DCONDITION -DAGAIN
// expect: all=holds
//
// case: a_semaphore
// flags: -DSEMAPHORE
// expect: all=holds
//
// case: a_futex
// flags: -DFUTEX
// expect: all=holds
#include <linux/futex.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cassert>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <shared_mutex>
#include <thread>

using namespace std::chrono_literals;

int main() {
#if defined HELD
  HELD object;
  object.lock();
  std::thread([&] { assert(!(TRY)); }).join();
  object.unlock();
#elif defined CONDITION
  std::mutex mutex;
  std::condition_variable condition;
  bool ready = false;
#ifdef AGAIN
  std::thread other([&] {
    std::lock_guard hold(mutex);
    ready = true;
    condition.notify_one();
  });
#endif
  std::unique_lock hold(mutex);
#ifdef AGAIN
  while (!ready) condition.wait_until(hold, std::chrono::system_clock::time_point());
  hold.unlock();
  other.join();
#else
  const auto how = condition.wait_until(hold, std::chrono::system_clock::time_point());
  assert(how == std::cv_status::timeout && !ready);
#endif
#elif defined SEMAPHORE
  sem_t semaphore;
  sem_init(&semaphore, 0, 1);
  const timespec limit{1, 0};
  assert(sem_timedwait(&semaphore, &limit) == 0);
  assert(sem_timedwait(&semaphore, &limit) == -1 && errno == ETIMEDOUT);
#else
  int word = 0;
  const timespec limit{};
  assert(syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &limit) == -1 && errno == ETIMEDOUT);
#endif
}
