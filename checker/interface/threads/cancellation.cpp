// SPDX-License-Identifier: MIT
// Nobody cancels a thread: a program that calls pthread_cancel is refused. But libraries forbid it
// for a while, and say which state they have found.
#include <errno.h>
#include <pthread.h>

#include "execution/execution.hpp"
#include "interface/c_library/touched.hpp"
#include "interface/threads/threads.hpp"

namespace checker = fencepost::checker;
using checker::execution;

namespace {

using OfThread = checker::ThreadSpecific::OfThread;

int exchange(int OfThread::*which, int value, int* old, std::uint64_t pc) {
  if (value != 0 && value != 1) return EINVAL;
  int& now = checker::own_specific().*which;
  if (old != nullptr) {
    checker::writes(old, sizeof *old, pc);
    *old = now;
  }
  if (now != value && checker::exploring()) execution.current->effect();
  now = value;
  return 0;
}

}  // namespace

extern "C" {

static_assert(PTHREAD_CANCEL_ENABLE == 0 && PTHREAD_CANCEL_DEFERRED == 0);

int pthread_setcancelstate(int state, int* old) {
  return exchange(&OfThread::cancel_state, state, old, FENCEPOST_PC());
}
int pthread_setcanceltype(int type, int* old) {
  return exchange(&OfThread::cancel_type, type, old, FENCEPOST_PC());
}
void pthread_testcancel() {}

}  // extern "C"
