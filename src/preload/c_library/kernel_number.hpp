// SPDX-License-Identifier: MIT
//
// The kernel's number of the calling thread, without asking the kernel.
#pragma once

#include <pthread.h>
#include <time.h>

#include <cstdint>

namespace fencepost::preload {

/// The C library keeps it in the thread's clock; in the child of a fork() from the start.
inline std::uint32_t kernel_number() noexcept {
  clockid_t clock = 0;
  ::pthread_getcpuclockid(::pthread_self(), &clock);
  return ~static_cast<std::uint32_t>(clock >> 3);
}

}  // namespace fencepost::preload
