// SPDX-License-Identifier: MIT
//
// Whether a strategy works: its calls are made. A sandbox may kill whoever makes them.
//
// A thread that has no filter of system calls makes them itself. One that has, or may have, sends a
// child ahead: if that is killed, or does not come back with success, the strategy does not
// exist. /proc/thread-self/status tells which, for a filter may be of this thread alone;
// prctl(PR_GET_SECCOMP) would be quicker, and is itself what filters kill for, while files are
// opened by every program that is loaded.
//
// The child is a copy of the process, made by clone() without a signal at its end, so that no
// handler of fork() runs and no SIGCHLD disturbs the program. It is not one that shares memory, as
// vfork()'s does: kernels before 5.16 that dump the core of a child which is killed take along
// whoever shares its memory. The copy is dear in a large process, but the time for this is before
// main(), when there is little to copy, and it is made only in a sandbox.
#pragma once

#include "fencepost/asymmetric_fence/kernel_barrier.hpp"
#include "fencepost/asymmetric_fence/kernel_version.hpp"
#include "fencepost/asymmetric_fence/strategy.hpp"
#include "fencepost/instrumentation.hpp"

#if !defined(FENCEPOST_CHECK)
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstddef>
#include <string_view>

#include "fencepost/detail/kernel.hpp"
#endif

namespace fencepost::asymmetric {

#if !defined(FENCEPOST_CHECK)

/// False if the kernel says that this thread may make every system call.
inline bool may_be_filtered() noexcept {
  const long file =
      kernel::call(SYS_openat, AT_FDCWD, "/proc/thread-self/status", O_RDONLY | O_CLOEXEC, 0);
  if (file < 0) return true;
  char text[4096];
  std::size_t length = 0;
  for (long got = 1; got > 0 && length != sizeof text;) {
    got = kernel::call(SYS_read, file, text + length, sizeof text - length);
    if (got > 0) length += static_cast<std::size_t>(got);
  }
  kernel::call(SYS_close, file);
  return std::string_view(text, length).find("\nSeccomp:\t0\n") == std::string_view::npos;
}

/// Has a child make the calls.
inline bool works_in_child(asymmetric_strategy strategy) noexcept {
  const long child = kernel::call(SYS_clone, 0L, 0L, 0L, 0L, 0L);
  if (child < 0) return false;
  if (child == 0) {
    struct sigaction dies {};
    dies.sa_handler = SIG_DFL;
    ::sigaction(SIGSYS, &dies, nullptr);
    const rlimit no_core{};
    ::setrlimit(RLIMIT_CORE, &no_core);
    // The shared page may be somebody's at this moment, who is not there to let go of it.
    const bool works = strategy == asymmetric_strategy::mprotect
                           ? page::tried()
                           : enrol(strategy) && barrier(strategy);
    for (;;) kernel::call(SYS_exit_group, works ? 0 : 1);
  }
  int status = -1;
  long ended = -EINTR;
  while (ended == -EINTR) ended = kernel::call(SYS_wait4, child, &status, __WALL, nullptr);
  return ended == child && status == 0;
}

#endif

/// Enrols and makes one real call, unless it is known that the kernel does not keep its promise.
inline bool works(asymmetric_strategy strategy) noexcept {
  if (strategy == asymmetric_strategy::global_expedited && global_expedited_misses_threads()) {
    return false;
  }
#if !defined(FENCEPOST_CHECK)
  if (may_be_filtered() && !works_in_child(strategy)) return false;
#endif
  return enrol(strategy) && barrier(strategy);
}

}  // namespace fencepost::asymmetric
