// SPDX-License-Identifier: MIT
//
// A place in the critical section where tests let a thread stall: see
// fencepost/atomic_instrumentation.h. Without FENCEPOST_ATOMIC_INJECT it is no instruction.
#pragma once

#if defined(FENCEPOST_ATOMIC_INJECT)
// Both can be the program's: whoever calls asks the loader which.
#pragma GCC visibility push(default)
#include "fencepost/atomic_instrumentation.h"
// Of a thread's variables the first that were there: no function of the loader's finds it.
extern "C" {
[[gnu::tls_model("initial-exec")]] extern __thread bool atomic_faulty;
}
#pragma GCC visibility pop
#endif

namespace fencepost::atomics {

/// The calling thread has just taken the locks of an object.
[[gnu::always_inline]] inline void injection_point() noexcept {
#if defined(FENCEPOST_ATOMIC_INJECT)
  if (atomic_faulty) atomic_inject();
#endif
}

}  // namespace fencepost::atomics
