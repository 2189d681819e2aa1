// SPDX-License-Identifier: MIT
//
// FENCEPOST_LIGHT_FENCES_ARE_FREE: the promise that some strategy works wherever the program runs.
//
// With it light fences within the process are no instruction at all; without, they are a load and a
// branch, by which they become full fences where nothing works. It has to be defined for the whole
// program, as functions that are inline everywhere depend on it. Where the promise is broken the
// program ends with a message: before main(), or at a heavy fence, if it entered a sandbox later.
// Full fences cannot be chosen then. Fences between processes are as always.
#pragma once

#include <sys/uio.h>

#include <cstdlib>

#include "fencepost/detail/kernel.hpp"

namespace fencepost::asymmetric {

#if defined(FENCEPOST_LIGHT_FENCES_ARE_FREE)
inline constexpr bool light_fences_are_free = true;
#else
inline constexpr bool light_fences_are_free = false;
#endif

[[noreturn, gnu::cold]] inline void promise_is_broken() noexcept {
  static constexpr char why[] =
      "fencepost: built with FENCEPOST_LIGHT_FENCES_ARE_FREE, and nothing that is allowed here has "
      "the other threads execute a fence: neither membarrier nor mprotect. Allow membarrier, or "
      "build without it\n";
  const iovec text{const_cast<char*>(why), sizeof why - 1};
  kernel::call(SYS_writev, 2L, &text, 1L);
  std::abort();
}

}  // namespace fencepost::asymmetric
