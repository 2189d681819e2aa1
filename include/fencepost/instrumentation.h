// SPDX-License-Identifier: MIT
//
// What a program tells `fencepost check` of itself, in C and in C++. Elsewhere all of it does
// nothing, and nothing has to be linked.
#ifndef FENCEPOST_INSTRUMENTATION_H
#define FENCEPOST_INSTRUMENTATION_H

#include <stdbool.h>

#if defined(FENCEPOST_CHECK)

#ifdef __cplusplus
extern "C" {
#define FENCEPOST_NOEXCEPT noexcept
#else
#define FENCEPOST_NOEXCEPT
#endif

/// The calling thread may wait for ever: a worker that nobody tells to stop. To the checker it is
/// then not stuck, and the certificate names it.
void fencepost_check_daemon(void) FENCEPOST_NOEXCEPT;

/// Only executions in which the condition holds count. Where it does not, the calling thread goes
/// no further; the others do, and at the end nobody is said to wait in vain. What goes wrong before
/// that, or in a thread that has not waited for the calling one, is still told: it may have come
/// first. The certificate says that executions were left out; if all are, there is no verdict. Is
/// no event and orders nothing. Source: the assume statement of bounded model checkers.
void fencepost_check_assume(bool condition) FENCEPOST_NOEXCEPT;

#undef FENCEPOST_NOEXCEPT
#ifdef __cplusplus
}
#endif

#else

static inline void fencepost_check_daemon(void) {}
static inline void fencepost_check_assume(bool condition) { (void)condition; }

#endif

#endif
