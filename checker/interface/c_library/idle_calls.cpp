// SPDX-License-Identifier: MIT
// Waiting for one of no files, with a time limit: a sleep.
#include <errno.h>
#include <poll.h>
#include <sys/select.h>
#include <time.h>

#include "execution/execution.hpp"
#include "interface/c_library/touched.hpp"
#include "interface/threads/threads.hpp"

namespace checker = fencepost::checker;

namespace {

int sleep_instead(const char* call, bool any_files, const timespec* limit, std::uint64_t pc) {
  if (!checker::exploring()) return 0;
  if (any_files) checker::execution.unsupported(pc, "'%s()' waits for files", call);
  if (limit == nullptr) checker::execution.unsupported(pc, "'%s()' waits for a signal", call);
  if (!checker::is_valid_for_kernel(limit)) {
    errno = EINVAL;
    return -1;
  }
  checker::sleep_for(limit, pc);
  return 0;
}

void reads_limit(const timespec* limit, std::uint64_t pc) {
  if (limit != nullptr) checker::reads(limit, sizeof *limit, pc);
}

constexpr long kMillisecond = 1000000;  // nanoseconds
constexpr long kSecond = 1000000;       // microseconds

}  // namespace

extern "C" {

int poll(pollfd*, nfds_t count, int milliseconds) {
  const timespec limit{milliseconds / 1000, milliseconds % 1000 * kMillisecond};
  return sleep_instead("poll", count != 0, milliseconds < 0 ? nullptr : &limit, FENCEPOST_PC());
}

int ppoll(pollfd*, nfds_t count, const timespec* limit, const sigset_t*) {
  reads_limit(limit, FENCEPOST_PC());
  return sleep_instead("ppoll", count != 0, limit, FENCEPOST_PC());
}

int select(int count, fd_set* in, fd_set* out, fd_set* urgent, timeval* limit) {
  timespec time{};
  if (limit != nullptr) {
    checker::writes(limit, sizeof *limit, FENCEPOST_PC());
    // Linux takes whole seconds of the microseconds.
    time = {limit->tv_sec + limit->tv_usec / kSecond, limit->tv_usec % kSecond * 1000};
    if (checker::exploring()) *limit = {};  // what is left of it, as on Linux
  }
  return sleep_instead("select",
                       count != 0 && (in != nullptr || out != nullptr || urgent != nullptr),
                       limit == nullptr ? nullptr : &time, FENCEPOST_PC());
}

int pselect(int count, fd_set* in, fd_set* out, fd_set* urgent, const timespec* limit,
            const sigset_t*) {
  reads_limit(limit, FENCEPOST_PC());
  return sleep_instead("pselect",
                       count != 0 && (in != nullptr || out != nullptr || urgent != nullptr), limit,
                       FENCEPOST_PC());
}

}  // extern "C"
