// SPDX-License-Identifier: MIT
// Signals that nobody sends: what is to happen when one comes may be said, and never happens. The
// program's calls are sent here (redefined-symbols.txt).
#include <errno.h>
#include <signal.h>

#include "execution/execution.hpp"
#include "interface/c_library/touched.hpp"

using fencepost::checker::reads;
using fencepost::checker::writes;

namespace {

bool may_be_caught(int signal) {
  return signal > 0 && signal < NSIG && signal != SIGKILL && signal != SIGSTOP;
}

// Nothing is blocked that anybody would find out.
int mask(int how, const sigset_t* set, sigset_t* before, std::uint64_t pc) {
  if (set != nullptr) {
    reads(set, sizeof *set, pc);
    if (how != SIG_BLOCK && how != SIG_UNBLOCK && how != SIG_SETMASK) return EINVAL;
  }
  if (before != nullptr) {
    writes(before, sizeof *before, pc);
    sigemptyset(before);
  }
  return 0;
}

}  // namespace

extern "C" {

sighandler_t fencepost_signal(int signal, sighandler_t) {
  if (may_be_caught(signal)) return SIG_DFL;
  errno = EINVAL;
  return SIG_ERR;
}

int fencepost_sigaction(int signal, const struct sigaction* action, struct sigaction* before) {
  const std::uint64_t pc = FENCEPOST_PC();
  if (action != nullptr) reads(action, sizeof *action, pc);
  if (signal <= 0 || signal >= NSIG || (action != nullptr && !may_be_caught(signal))) {
    errno = EINVAL;
    return -1;
  }
  if (before != nullptr) {
    writes(before, sizeof *before, pc);
    *before = {};
  }
  return 0;
}

int fencepost_pthread_sigmask(int how, const sigset_t* set, sigset_t* before) {
  return mask(how, set, before, FENCEPOST_PC());
}
int fencepost_sigprocmask(int how, const sigset_t* set, sigset_t* before) {
  const int error = mask(how, set, before, FENCEPOST_PC());
  if (error == 0) return 0;
  errno = error;
  return -1;
}

}  // extern "C"
