/* SPDX-License-Identifier: MIT
 *
 * Three ways lead out of a function besides its return. A thread that ends, and a longjmp(), call
 * what was registered (cleanup.h). An exception looks for what a frame wants
 * to do in the frame's personality function; the compiler's own are in libraries of C++, which are
 * not for this one to need, so that `call` has one that needs nothing of them: not even the frame,
 * for of the calls of a thread the last is left first.
 */
#include "unwind_hook.h"

#include <unwind.h>

#include "cleanup.h"

struct call {
  void (*left)(void*);
  void* argument;
  struct call* outer;
  struct _pthread_cleanup_buffer way_out;
};

static _Thread_local struct call* innermost;

_Unwind_Reason_Code fencepost_preload_passed_by(int version, _Unwind_Action actions,
                                                _Unwind_Exception_Class kind,
                                                struct _Unwind_Exception* exception,
                                                struct _Unwind_Context* context);

__attribute__((used)) _Unwind_Reason_Code fencepost_preload_passed_by(
    int version, _Unwind_Action actions, _Unwind_Exception_Class kind,
    struct _Unwind_Exception* exception, struct _Unwind_Context* context) {
  (void)version, (void)kind, (void)exception, (void)context;
  // A thread that ends is forced through, and its way out is called by itself.
  if ((actions & _UA_CLEANUP_PHASE) != 0 && (actions & _UA_FORCE_UNWIND) == 0) {
    struct call* const passed = innermost;
    innermost = passed->outer;
    _pthread_cleanup_pop(&passed->way_out, 0);
    passed->left(passed->argument);
  }
  return _URC_CONTINUE_UNWIND;
}

static void left_by_end_or_jump(void* argument) {
  struct call* const passed = argument;
  innermost = passed->outer;
  passed->left(passed->argument);
}

__attribute__((noinline)) static void call(void (*routine)(void)) {
  // 0x1b: its address is written as 32 bits, relative to where they are.
  __asm__ volatile(".cfi_personality 0x1b, fencepost_preload_passed_by");
  routine();
  // No tail call: there would be no frame to pass.
  __asm__ volatile("");
}

void fencepost_preload_call(void (*routine)(void), void (*left)(void*), void* argument) {
  struct call this_one = {.left = left, .argument = argument, .outer = innermost};
  _pthread_cleanup_push(&this_one.way_out, left_by_end_or_jump, &this_one);
  innermost = &this_one;
  call(routine);
  innermost = this_one.outer;
  _pthread_cleanup_pop(&this_one.way_out, 0);
}
