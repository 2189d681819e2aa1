/* SPDX-License-Identifier: MIT
 *
 * Sleeping in a function that POSIX calls a cancellation point, and that a signal handler may leave
 * by siglongjmp(). At any instruction of `sleep`, not at calls alone: cleanup.h.
 */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/** Calls sleep(argument). While that has cancellation turned to asynchronous, the calling thread
 * may be cancelled in it: then cancelled(argument) is called, the program's own cleanup handlers
 * follow, and nothing returns. The same is called where a longjmp() leaves `sleep`, wherever that
 * was: before it slept, and after, too. */
void fencepost_preload_cancellable(void (*sleep)(void*), void (*cancelled)(void*), void* argument);

#ifdef __cplusplus
}
#endif
