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

// Part of the program's state: it is put back before every execution like its own variables.
int states[checker::kMaxThreads];
int types[checker::kMaxThreads];

int exchange(int* kept, int value, int* old, std::uint64_t pc) {
  if (value != 0 && value != 1) return EINVAL;
  int& now = kept[checker::exploring() ? execution.current->id : 0];
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
  return exchange(states, state, old, FENCEPOST_PC());
}
int pthread_setcanceltype(int type, int* old) { return exchange(types, type, old, FENCEPOST_PC()); }
void pthread_testcancel() {}

}  // extern "C"
