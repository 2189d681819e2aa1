/* SPDX-License-Identifier: MIT
 *
 * Sleeping in a function that POSIX calls a cancellation point.
 *
 * In C, and compiled without exceptions: pthread_cleanup_push() then saves a place to come back to
 * (setjmp) and looks at no table of exception handlers, so that a thread may be cancelled at any
 * instruction of `sleep`, not at calls alone.
 */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/** Calls sleep(argument). While that has cancellation turned to asynchronous, the calling thread
 * may be cancelled in it: then cancelled(argument) is called, the program's own cleanup handlers
 * follow, and nothing returns. */
void fencepost_preload_cancellable(void (*sleep)(void*), void (*cancelled)(void*), void* argument);

#ifdef __cplusplus
}
#endif
