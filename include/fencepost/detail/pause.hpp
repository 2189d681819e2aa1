// SPDX-License-Identifier: MIT
//
// The processor's hint for loops that wait: lets some time pass, spares the other thread of the
// same core and the battery, and asks nothing of memory.
#pragma once

#include "fencepost/language.hpp"

namespace fencepost::detail {

/// 10 to 140 cycles on x86, depending on the model; next to nothing on most AArch64 processors.
inline void pause() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace fencepost::detail
