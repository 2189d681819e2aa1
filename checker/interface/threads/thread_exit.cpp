// SPDX-License-Identifier: MIT
// pthread_exit. As in glibc the stack is unwound first, without an exception that anybody could
// keep: destructors of what is on it run, locks held by guards are let go.
#include <pthread.h>
#include <unwind.h>

#include "execution/execution.hpp"
#include "graph/state_section.hpp"
#include "interface/threads/threads.hpp"

namespace checker = fencepost::checker;
using checker::execution;

namespace {

// Not on the stack that is unwound.
FENCEPOST_CHECKER_STATE _Unwind_Exception unwinding[checker::kMaxThreads];

_Unwind_Reason_Code go_on(int, _Unwind_Action actions, _Unwind_Exception_Class, _Unwind_Exception*,
                          _Unwind_Context*, void* result) {
  if ((actions & _UA_END_OF_STACK) != 0) execution.finish_thread(result);
  return _URC_NO_REASON;
}

FENCEPOST_CHECKER_STATE std::uint64_t exit_called_at[checker::kMaxThreads];

// A handler has caught it and comes to its end.
void was_kept(_Unwind_Reason_Code, _Unwind_Exception*) {
  const unsigned id = execution.current->id;
  execution.violate(
      "uncaught", exit_called_at[id],
      "thread %u catches what pthread_exit unwinds its stack by, and does not throw it "
      "again: the C library aborts",
      id);
}

}  // namespace

extern "C" {

// What the headers make of C's pthread_cleanup_pop (compile_source.py), where it is not inlined.
void __pthread_cleanup_routine(__pthread_cleanup_frame* frame) {
  if (frame->__do_it != 0) frame->__cancel_routine(frame->__cancel_arg);
}

void pthread_exit(void* result) {
  _Unwind_Exception& exception = unwinding[execution.current->id];
  exception = {};
  exception.exception_cleanup = was_kept;
  exit_called_at[execution.current->id] = FENCEPOST_PC();
  _Unwind_ForcedUnwind(&exception, go_on, result);
  execution.finish_thread(result);
}

}  // extern "C"
