// SPDX-License-Identifier: MIT
//
// Words to the user of a program that cannot go on, from a place where nothing may be allocated and
// no lock taken.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <initializer_list>

namespace fencepost::preload {

/// Writes "fencepost run: WHAT NAME" to standard error and aborts.
[[noreturn, gnu::noinline, gnu::cold]] inline void give_up(const char* what,
                                                           const char* name) noexcept {
  for (const char* part : {"fencepost run: ", what, name, "\n"}) {
    if (::write(STDERR_FILENO, part, std::strlen(part)) < 0) break;
  }
  std::abort();
}

}  // namespace fencepost::preload
