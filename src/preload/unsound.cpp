// SPDX-License-Identifier: MIT
//
// What a process tells at its exit that ran on an unsound lock: on the standard error that it began
// with, of which it keeps a descriptor, for some close theirs before. Where that was closed, too,
// or is another file by then, nothing is told.
#include "unsound.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace fencepost::preload {

namespace {

/// Where no program of its own opens files.
constexpr int least_descriptor = 200;

constinit int kept = -1;
constinit struct stat as_it_began {};

[[gnu::constructor]] void begin() {
  kept = ::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, least_descriptor);
  if (::fstat(kept, &as_it_began) != 0) kept = -1;
  ::pthread_atfork(nullptr, nullptr,
                   []() noexcept { lost_wakeups.store(0, std::memory_order_relaxed); });
}

[[gnu::destructor]] void tell() {
  struct stat now {};
  if (::fstat(kept, &now) != 0 || now.st_dev != as_it_began.st_dev ||
      now.st_ino != as_it_began.st_ino) {
    return;
  }
  char text[256];
  const int length = std::snprintf(
      text, sizeof text, "fencepost run: %s (%ld) lost %llu wake-ups on the unsound %s\n",
      program_invocation_short_name, static_cast<long>(::getpid()),
      static_cast<unsigned long long>(lost_wakeups.load(std::memory_order_relaxed)),
      FENCEPOST_PRELOADED_NAME);
  if (length > 0 && ::write(kept, text, static_cast<std::size_t>(length)) < 0) return;
}

}  // namespace

}  // namespace fencepost::preload
