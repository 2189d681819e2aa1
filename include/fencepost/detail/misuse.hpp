// SPDX-License-Identifier: MIT
//
// What debug builds do about a primitive that is used against its rules: one line on standard error
// that names the object and the thread, and abort().
#pragma once

#include "fencepost/language.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace fencepost {

// Whether misuse is looked for. It is where assert() is: a primitive's tuning or configuration may
// say otherwise.
#ifdef NDEBUG
inline constexpr bool catch_misuse_by_default = false;
#else
inline constexpr bool catch_misuse_by_default = true;
#endif

/// Prints "fencepost::TYPE 0x7f…, thread 1234: WHAT" and aborts. The thread is the kernel's number
/// for the caller, as debuggers and /proc show it.
[[noreturn, gnu::noinline, gnu::cold]] inline void misuse(const char* type, const void* object,
                                                          const char* what) noexcept {
  std::fprintf(stderr, "fencepost::%s %p, thread %ld: %s\n", type, object,
               static_cast<long>(::gettid()), what);
  std::abort();
}

}  // namespace fencepost
