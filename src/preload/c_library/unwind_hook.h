/* SPDX-License-Identifier: MIT
 *
 * Calling a function that may never return to its caller: the thread is cancelled in it or exits,
 * it jumps out of it, or a C++ exception passes.
 */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/** Calls routine(). If that is left in another way than by its return, calls left(argument) on the
 * way out, once. */
void fencepost_preload_call(void (*routine)(void), void (*left)(void*), void* argument);

#ifdef __cplusplus
}
#endif
