// SPDX-License-Identifier: MIT
//
// Deadlines that are not there. glibc's timed locks wait without a limit where the pointer is null,
// though their declarations promise that it never is, by which compilers leave tests of it out.
#pragma once

#include <ctime>

namespace fencepost::preload {

/// `deadline`, of which the compiler knows nothing any more.
inline const timespec* as_given(const timespec* deadline) noexcept {
  asm("" : "+r"(deadline));
  return deadline;
}

}  // namespace fencepost::preload
