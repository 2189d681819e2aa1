// SPDX-License-Identifier: MIT
//
// Deadlines as programs give them: some are none, and some are not there. glibc's timed locks wait
// without a limit where the pointer is null, though their declarations promise that it never is, by
// which compilers leave tests of it out.
#pragma once

#include <ctime>

#include "c_library/deadline.hpp"

namespace fencepost::preload {

/// `deadline`, of which the compiler knows nothing any more.
inline const timespec* as_given(const timespec* deadline) noexcept {
  asm("" : "+r"(deadline));
  return deadline;
}

/// Whether it is refused, by what looks at it before it tries: glibc's read-write locks and
/// semaphores, also where they are free.
inline bool is_refused(clockid_t clock, const timespec* deadline) noexcept {
  const timespec* const given = as_given(deadline);
  return given != nullptr && !(is_known(clock) && is_valid(*given));
}

}  // namespace fencepost::preload
