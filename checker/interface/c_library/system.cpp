// SPDX-License-Identifier: MIT
// The futex system call, sleeping, clocks, and the ways in which a program fails.
#include <errno.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <exception>

#include "execution/accesses/fences.hpp"
#include "execution/execution.hpp"
#include "execution/loops/loops.hpp"
#include "execution/objects.hpp"
#include "interface/c_library/touched.hpp"
#include "interface/threads/threads.hpp"
#include "machine/kernel.hpp"
#include "search/before_main.hpp"
#include "sync/clocks.hpp"
#include "sync/futexes.hpp"
#include "sync/joining.hpp"
#include "sync/membarriers.hpp"
#include "sync/queues.hpp"

namespace checker = fencepost::checker;
namespace kernel = fencepost::checker::kernel;
using checker::execution;
using checker::ObjectKind;

namespace {

constexpr std::uint64_t kNanoseconds = 1000000000;
constexpr std::uint64_t kClockStart = 1000000 * kNanoseconds;

std::uint64_t nanoseconds(const timespec* t) {
  return static_cast<std::uint64_t>(t->tv_sec) * kNanoseconds +
         static_cast<std::uint64_t>(t->tv_nsec);
}

long fail(int error) {
  errno = error;
  return -1;
}

checker::Limit limit_of(const timespec* timeout, int command) {
  if (timeout == nullptr) return checker::Limit::none;
  const bool passed =
      command == FUTEX_WAIT ? nanoseconds(timeout) == 0 : checker::has_passed(timeout);
  return passed ? checker::Limit::passed : checker::Limit::to_come;
}

long futex(std::uintptr_t word, int operation, std::uint32_t value, const timespec* timeout,
           std::uint32_t bits, std::uint64_t pc) {
  const checker::LeaveNoTrace clean;
  const int command = operation & FUTEX_CMD_MASK;
  const bool masked = command == FUTEX_WAIT_BITSET || command == FUTEX_WAKE_BITSET;
  // A word has a queue of those that wait in this process, and one of all.
  constexpr std::uint64_t kPrivate = std::uint64_t{1} << 32;
  const std::uint64_t mask = (masked ? bits : FUTEX_BITSET_MATCH_ANY) |
                             ((operation & FUTEX_PRIVATE_FLAG) != 0 ? kPrivate : 0);
  switch (command) {
    case FUTEX_WAIT:
    case FUTEX_WAKE:
    case FUTEX_WAKE_BITSET:
      if ((operation & FUTEX_CLOCK_REALTIME) != 0) return fail(ENOSYS);
      break;
    default:
      break;
  }
  if ((masked && bits == 0) || word % 4 != 0) return fail(EINVAL);
  switch (command) {
    case FUTEX_WAIT:
    case FUTEX_WAIT_BITSET:
      if (timeout != nullptr) {
        checker::reads(timeout, sizeof *timeout, pc);
        if (!checker::is_valid_for_kernel(timeout)) return fail(EINVAL);
      }
      switch (checker::futex_wait(word, value, mask, limit_of(timeout, command), pc)) {
        case checker::Waited::changed:
          return fail(EAGAIN);
        case checker::Waited::timed_out:
          if (command == FUTEX_WAIT) {  // relative
            checker::clocks.advance(nanoseconds(timeout));
          } else {
            checker::let_time_pass_until(timeout);
          }
          return fail(ETIMEDOUT);
        case checker::Waited::spurious:
          return fail(EINTR);
        case checker::Waited::woken:
          return 0;
      }
      return 0;
    case FUTEX_WAKE:
    case FUTEX_WAKE_BITSET: {
      // The kernel counts after it has woken one, and with a sign.
      const auto most = static_cast<std::int32_t>(value);
      return checker::wake_waiters(ObjectKind::futex_queue, word,
                                   most < 1 ? 1U : static_cast<unsigned>(most), mask, pc);
    }
    default:
      execution.unsupported(pc, "futex operation %d is not supported (wait and wake are)", command);
  }
}

// man 2 membarrier. A barrier that reaches only registered processes is one of this process if it
// has registered; otherwise it is refused, or reaches nobody but the caller.
long membarrier(int command, unsigned flags, std::uint64_t pc) {
  const bool before_main = !checker::exploring();
  const bool orders = before_main || !checker::orders_nothing(pc);
  if (execution.options.no_membarrier) return fail(ENOSYS);
  if (flags != 0) return fail(EINVAL);
  switch (command) {
    case MEMBARRIER_CMD_QUERY:
      return MEMBARRIER_CMD_GLOBAL | MEMBARRIER_CMD_GLOBAL_EXPEDITED |
             MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED | MEMBARRIER_CMD_PRIVATE_EXPEDITED |
             MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED;
    case MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED:
      checker::register_membarrier(MEMBARRIER_CMD_GLOBAL_EXPEDITED, before_main, pc);
      return 0;
    case MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED:
      checker::register_membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED, before_main, pc);
      return 0;
    case MEMBARRIER_CMD_GLOBAL:
    case MEMBARRIER_CMD_GLOBAL_EXPEDITED:
    case MEMBARRIER_CMD_PRIVATE_EXPEDITED:
      if (before_main) return 0;  // there is nobody else
      if (command == MEMBARRIER_CMD_GLOBAL ||
          checker::membarrier_registered(static_cast<unsigned>(command), pc)) {
        if (orders) checker::heavy_fence(pc);
        return 0;
      }
      if (command == MEMBARRIER_CMD_PRIVATE_EXPEDITED) return fail(EPERM);
      if (orders) checker::atomic_fence(checker::Order::seq_cst, pc);
      return 0;
    default:
      return fail(EINVAL);
  }
}

// Linux has these, and others with negative numbers: the processor time of a process or a thread.
bool is_clock(clockid_t clock) { return clock <= CLOCK_BOOTTIME_ALARM || clock == CLOCK_TAI; }
// ... and lets nobody sleep by these.
bool is_slept_by(clockid_t clock) {
  return clock != CLOCK_MONOTONIC_RAW && clock != CLOCK_REALTIME_COARSE &&
         clock != CLOCK_MONOTONIC_COARSE;
}

void pass_time(std::uint64_t nanoseconds, std::uint64_t pc) {
  checker::clocks.advance(nanoseconds);
  checker::idle(pc);
}

timespec time_now(std::uint64_t pc) {
  const std::uint64_t t = kClockStart + (checker::exploring() ? checker::clocks.read(pc) : 0);
  return {static_cast<time_t>(t / kNanoseconds), static_cast<long>(t % kNanoseconds)};
}

void tell_time(timespec* now, std::uint64_t pc) {
  const timespec t = time_now(pc);
  checker::writes(now, sizeof *now, pc);
  *now = t;
}

}  // namespace

namespace fencepost::checker {

void sleep_for(const timespec* duration, std::uint64_t pc) {
  if (exploring()) pass_time(nanoseconds(duration), pc);
}

bool has_passed(const timespec* deadline) {
  return deadline->tv_sec < 0 || nanoseconds(deadline) <= kClockStart + clocks.now();
}

bool runs_out_of_time(const timespec* deadline, std::uint64_t pc) {
  return (has_passed(deadline) && limit_has_passed()) || chooses_timeout(pc);
}

void let_time_pass_until(const timespec* deadline) {
  if (deadline->tv_sec < 0) return;
  const std::uint64_t until = nanoseconds(deadline);
  const std::uint64_t now = kClockStart + clocks.now();
  if (until > now) clocks.advance(until - now);
}

}  // namespace fencepost::checker

extern "C" {

long syscall(long number, ...) noexcept {
  const std::uint64_t pc = FENCEPOST_PC();
  std::va_list arguments;
  va_start(arguments, number);
  long a[6];
  for (long& x : a) x = va_arg(arguments, long);
  va_end(arguments);
  if (number == SYS_membarrier) {
    return membarrier(static_cast<int>(a[0]), static_cast<unsigned>(a[1]), pc);
  }
  if (number == SYS_getrandom) {
    return getrandom(reinterpret_cast<void*>(a[0]), static_cast<std::size_t>(a[1]),
                     static_cast<unsigned>(a[2]));
  }
  if (!checker::exploring()) {
    const long result = kernel::call(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    return result < 0 && result > -4096 ? fail(static_cast<int>(-result)) : result;
  }
  switch (number) {
    case SYS_futex:
      return futex(static_cast<std::uintptr_t>(a[0]), static_cast<int>(a[1]),
                   static_cast<std::uint32_t>(a[2]), reinterpret_cast<const timespec*>(a[3]),
                   static_cast<std::uint32_t>(a[5]), pc);
    case SYS_gettid:
      return checker::own_number(pc) + 1;
    case SYS_getpid:
      return getpid();
    case SYS_sched_yield:
      checker::idle(pc);
      return 0;
    default:
      execution.unsupported(pc, "system call %ld is not supported", number);
  }
}

// Numbers that another process, or the next execution, would have others of.
pid_t getpid() noexcept { return 1; }
pid_t getppid() noexcept { return 0; }
int sched_getcpu() noexcept { return 0; }

int gettid() noexcept { return static_cast<int>(checker::own_number(FENCEPOST_PC())) + 1; }

int nanosleep(const timespec* duration, timespec*) {
  checker::reads(duration, sizeof *duration, FENCEPOST_PC());
  if (!checker::is_valid_for_kernel(duration)) return static_cast<int>(fail(EINVAL));
  checker::sleep_for(duration, FENCEPOST_PC());
  return 0;
}
int clock_nanosleep(clockid_t clock, int flags, const timespec* duration, timespec*) {
  if (!checker::exploring()) return 0;
  if (!is_clock(clock) || clock == CLOCK_THREAD_CPUTIME_ID) return EINVAL;
  if (!is_slept_by(clock)) return ENOTSUP;
  checker::reads(duration, sizeof *duration, FENCEPOST_PC());
  if (!checker::is_valid_for_kernel(duration)) return EINVAL;
  const std::uint64_t until = nanoseconds(duration);
  const std::uint64_t now = kClockStart + checker::clocks.now();
  if ((flags & TIMER_ABSTIME) == 0) {
    pass_time(until, FENCEPOST_PC());
  } else {
    pass_time(until > now ? until - now : 0, FENCEPOST_PC());
  }
  return 0;
}
int usleep(useconds_t micros) {
  if (checker::exploring()) pass_time(std::uint64_t{micros} * 1000, FENCEPOST_PC());
  return 0;
}
unsigned sleep(unsigned seconds) {
  if (checker::exploring()) pass_time(seconds * kNanoseconds, FENCEPOST_PC());
  return 0;
}

int clock_gettime(clockid_t clock, timespec* now) noexcept {
  const checker::LeaveNoTrace clean;
  if (!is_clock(clock)) return static_cast<int>(fail(EINVAL));
  tell_time(now, FENCEPOST_PC());
  return 0;
}
int clock_getres(clockid_t clock, timespec* resolution) noexcept {
  if (!is_clock(clock)) return static_cast<int>(fail(EINVAL));
  if (resolution == nullptr) return 0;
  checker::writes(resolution, sizeof *resolution, FENCEPOST_PC());
  *resolution = {0, 1};
  return 0;
}
int timespec_get(timespec* now, int base) noexcept {
  if (base != TIME_UTC) return 0;
  const checker::LeaveNoTrace clean;
  tell_time(now, FENCEPOST_PC());
  return base;
}
int gettimeofday(timeval* now, void*) noexcept {
  const checker::LeaveNoTrace clean;
  const timespec t = time_now(FENCEPOST_PC());
  checker::writes(now, sizeof *now, FENCEPOST_PC());
  *now = {t.tv_sec, t.tv_nsec / 1000};
  return 0;
}
clock_t fencepost_clock() {
  const timespec t = time_now(FENCEPOST_PC());
  return (t.tv_sec - static_cast<time_t>(kClockStart / kNanoseconds)) * CLOCKS_PER_SEC +
         t.tv_nsec / (1000000000 / CLOCKS_PER_SEC);
}
int fencepost_getrusage(int, rusage* usage) {
  const timespec t = time_now(FENCEPOST_PC());
  checker::writes(usage, sizeof *usage, FENCEPOST_PC());
  *usage = {};
  usage->ru_utime = {t.tv_sec - static_cast<time_t>(kClockStart / kNanoseconds), t.tv_nsec / 1000};
  return 0;
}
time_t time(time_t* now) noexcept {
  const checker::LeaveNoTrace clean;
  const timespec t = time_now(FENCEPOST_PC());
  if (now != nullptr) {
    checker::writes(now, sizeof *now, FENCEPOST_PC());
    *now = t.tv_sec;
  }
  return t.tv_sec;
}

void __assert_fail(const char* expression, const char* file, unsigned line, const char* function) {
  const std::uint64_t pc = FENCEPOST_PC();
  if (!checker::exploring()) {
    checker::violate_before_main("assertion", pc, "assertion `%s' failed at %s:%u, before main",
                                 expression, file, line);
  }
  execution.violate("assertion", pc, "assertion `%s' failed at %s:%u in %s", expression, file, line,
                    function != nullptr ? function : "?");
}

void abort() noexcept {
  const std::uint64_t pc = FENCEPOST_PC();
  if (!checker::exploring()) {
    checker::violate_before_main("assertion", pc, "thread 0 calls abort before main");
  }
  execution.violate("assertion", pc, "thread %u calls abort", execution.current->id);
}

}  // extern "C"
