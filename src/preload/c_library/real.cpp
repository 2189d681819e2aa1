// SPDX-License-Identifier: MIT
#include "real.hpp"

#include <dlfcn.h>

#include "message.hpp"

namespace fencepost::preload {

void* look_up(const char* name) noexcept {
  // Without a version this finds the newest: of the functions that have several, the one that
  // programs are linked to today.
  return ::dlsym(RTLD_NEXT, name);
}

void is_missing(const char* name) noexcept { give_up("the C library has no function ", name); }

}  // namespace fencepost::preload
