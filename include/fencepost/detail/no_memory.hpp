// SPDX-License-Identifier: MIT
//
// What becomes of a call for which there is no memory, or no room in a table of a fixed size.
#pragma once

#include <cstdlib>
#include <new>

namespace fencepost::detail {

/// Throws std::bad_alloc. Where exceptions are disabled the program ends.
[[noreturn, gnu::noinline, gnu::cold]] inline void no_memory() {
#if defined(__cpp_exceptions)
  throw std::bad_alloc();
#else
  std::abort();
#endif
}

}  // namespace fencepost::detail
