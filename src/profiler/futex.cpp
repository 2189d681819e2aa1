// SPDX-License-Identifier: MIT
//
// Sleeps that go through the C library's syscall(): those of our own locks, which belong to the
// wait that they are part of, and those of the program's own locks (InnoDB's latches, Rust's
// standard library), which are counted by their word. glibc's own locks do not come by here.
#include <linux/futex.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>

#include "../preload/c_library/exported.hpp"
#include "../preload/c_library/real.hpp"
#include "confinement.hpp"
#include "record/accounting.hpp"

FENCEPOST_EXPORTED(syscall);
FENCEPOST_EXPORTED(pthread_join);

namespace fencepost::profiler {

namespace {

FENCEPOST_REAL(syscall);
FENCEPOST_REAL(pthread_join);

template <class Call>
long sleep(thread& me, Call call) {
  awake(me);  // of one that it was cancelled in
  current.sleeping = now();
  const long result = call();
  // It has not slept where the word had changed already.
  if (result == -1 && errno == EAGAIN) current.sleeping = 0;
  awake(me);
  return result;
}

template <class Call>
long sleep_on(const void* word, const void* from, Call call) {
  thread* const me = this_thread();
  if (me == nullptr) return call();
  // Inside a wait that is counted already, or a lock's own sleep outside of one.
  if (me->waits_for.load(std::memory_order_relaxed) != 0) return sleep(*me, call);
  const lock* const known = find_lock(word);
  if (known != nullptr && known->kind != static_cast<std::uint32_t>(kind::futex)) {
    return sleep(*me, call);
  }
  waiting here(*me, lock_at(word, kind::futex, from), from);
  const long result = sleep(*me, call);
  const int error = errno;
  here.ended(result == 0 || error == EAGAIN);
  errno = error;
  return result;
}

/// Its notifications or posts are counted where they are made, whoever sleeps.
bool is_notified(const lock& one) noexcept {
  return one.kind == static_cast<std::uint32_t>(kind::condition) ||
         one.kind == static_cast<std::uint32_t>(kind::semaphore);
}

void woke(const void* word, long threads) noexcept {
  if (threads <= 0) return;
  lock* const one = current.releasing != nullptr ? current.releasing : find_lock(word);
  if (one == nullptr || is_notified(*one)) return;
  add(one->wakes, static_cast<std::uint64_t>(threads));
}

}  // namespace

}  // namespace fencepost::profiler

using namespace fencepost::profiler;

long syscall(long number, ...) noexcept {
  std::va_list list;
  va_start(list, number);
  long words[6];
  // As many as any call takes; those that this one does not have are what lies there.
  for (long& word : words) word = va_arg(list, long);
  va_end(list);
  const auto call = [&] {
    return real_syscall(number, words[0], words[1], words[2], words[3], words[4], words[5]);
  };
  if ((number == SYS_seccomp && sets_filter(static_cast<unsigned long>(words[0]))) ||
      (number == SYS_prctl && words[0] == PR_SET_SECCOMP)) {
    return confine(call);
  }
  if (number != SYS_futex) return call();
  const auto* const word = reinterpret_cast<const void*>(words[0]);
  switch (words[1] & FUTEX_CMD_MASK) {
    case FUTEX_WAIT:
    case FUTEX_WAIT_BITSET:
      return sleep_on(word, __builtin_return_address(0), call);
    case FUTEX_WAKE:
    case FUTEX_WAKE_BITSET: {
      const long result = call();
      woke(word, result);
      return result;
    }
    default:
      return call();
  }
}

int pthread_join(pthread_t other, void** result) {
  thread* const me = this_thread();
  if (me == nullptr) return real_pthread_join(other, result);
  me->joins.store(static_cast<std::uint64_t>(other), std::memory_order_relaxed);
  const int error = real_pthread_join(other, result);
  me->joins.store(0, std::memory_order_relaxed);
  return error;
}
