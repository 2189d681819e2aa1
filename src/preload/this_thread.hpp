// SPDX-License-Identifier: MIT
//
// Who the calling thread is, to a lock that knows its owner: an address of its own, found without a
// call. It is the same in the child of a fork(), which has what the forking thread had.
#pragma once

#include <cstdint>

namespace fencepost::preload {

using thread_name = std::uintptr_t;

inline constexpr thread_name nobody = 0;

inline thread_name this_thread() noexcept {
  static constinit thread_local char own = 0;
  return reinterpret_cast<thread_name>(&own);
}

}  // namespace fencepost::preload
