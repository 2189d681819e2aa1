// SPDX-License-Identifier: MIT
// Signals that nobody sends: what is to happen when one comes may be said, and asked for, and never
// happens. A thread blocks signals, and those that it makes block the same. The program's calls are
// sent here (redefined-symbols.txt).
#include <errno.h>
#include <signal.h>

#include <cstring>

#include "execution/execution.hpp"
#include "interface/c_library/touched.hpp"
#include "interface/threads/threads.hpp"
#include "sync/joining.hpp"

namespace checker = fencepost::checker;
using checker::execution;
using checker::reads;
using checker::thread_specific;
using checker::writes;

namespace {

constexpr std::uint64_t bit(int signal) { return std::uint64_t{1} << (signal - 1); }

// Two that glibc keeps for itself.
constexpr int kCancels = 32;
constexpr int kSetsIds = 33;
constexpr std::uint64_t kNeverBlocked = bit(SIGKILL) | bit(SIGSTOP) | bit(kCancels) | bit(kSetsIds);

bool is_signal(int signal) {
  return signal > 0 && signal < NSIG && signal != kCancels && signal != kSetsIds;
}
bool may_be_caught(int signal) {
  return is_signal(signal) && signal != SIGKILL && signal != SIGSTOP;
}

struct sigaction action_of(int signal) {
  const auto number = static_cast<unsigned>(signal);
  if (number < thread_specific.actions.size()) return thread_specific.actions[number];
  return {};
}

// Not an event: who comes first of several threads is not explored.
void act(int signal, struct sigaction action) {
#ifdef __x86_64__
  constexpr int kRestorer = 0x04000000;  // glibc adds SA_RESTORER
  action.sa_flags |= kRestorer;
#endif
  const auto number = static_cast<unsigned>(signal);
  while (thread_specific.actions.size() <= number) thread_specific.actions.push_back({});
  struct sigaction& kept = thread_specific.actions[number];
  const bool says_the_same = kept.sa_handler == action.sa_handler &&
                             kept.sa_flags == action.sa_flags &&
                             std::memcmp(&kept.sa_mask, &action.sa_mask, sizeof kept.sa_mask) == 0;
  kept = action;
  if (says_the_same || !checker::exploring()) return;
  execution.current->effect();
  if (checker::beside_others()) execution.counters.signals_said = 1;
}

int mask(int how, const sigset_t* set, sigset_t* before, std::uint64_t pc) {
  std::uint64_t& blocked = checker::own_specific().blocked_signals;
  const std::uint64_t old = blocked;
  if (set != nullptr) {
    reads(set, sizeof *set, pc);
    std::uint64_t asked;  // the kernel knows the first 64 signals of a set
    std::memcpy(&asked, set, sizeof asked);
    if (how == SIG_BLOCK) {
      blocked |= asked;
    } else if (how == SIG_UNBLOCK) {
      blocked &= ~asked;
    } else if (how == SIG_SETMASK) {
      blocked = asked;
    } else {
      return EINVAL;
    }
    blocked &= ~kNeverBlocked;
    if (blocked != old && checker::exploring()) execution.current->effect();
  }
  if (before != nullptr) {
    writes(before, sizeof *before, pc);
    sigemptyset(before);
    std::memcpy(before, &old, sizeof old);
  }
  return 0;
}

}  // namespace

extern "C" {

// As in glibc the handler stays, and system calls go on.
sighandler_t fencepost_signal(int signal, sighandler_t handler) {
  if (handler == SIG_ERR || !may_be_caught(signal)) {
    errno = EINVAL;
    return SIG_ERR;
  }
  const sighandler_t before = action_of(signal).sa_handler;
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigaddset(&action.sa_mask, signal);
  act(signal, action);
  return before;
}

int fencepost_sigaction(int signal, const struct sigaction* action, struct sigaction* before) {
  const std::uint64_t pc = FENCEPOST_PC();
  if (action != nullptr) reads(action, sizeof *action, pc);
  if (!is_signal(signal) || (action != nullptr && !may_be_caught(signal))) {
    errno = EINVAL;
    return -1;
  }
  const struct sigaction old = action_of(signal);
  if (action != nullptr) act(signal, *action);
  if (before != nullptr) {
    writes(before, sizeof *before, pc);
    *before = old;
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
