// SPDX-License-Identifier: MIT
//
// What each strategy asks the kernel for: once to enrol, and at each heavy fence.
//
// An error of any kind means that the kernel does not do it: sandboxes invent their own. Emulators
// that say success and do nothing are out of our hands.
#pragma once

#include <linux/membarrier.h>
#include <sys/syscall.h>

#include "fencepost/asymmetric_fence/page.hpp"
#include "fencepost/asymmetric_fence/strategy.hpp"
#include "fencepost/detail/kernel.hpp"

namespace fencepost::asymmetric {

inline bool membarrier(int command) noexcept {
  return kernel::call(SYS_membarrier, command, 0, 0) == 0;
}

/// Cheap while the process has one thread; takes milliseconds when there are several.
inline bool enrol(asymmetric_strategy strategy) noexcept {
  switch (strategy) {
    case asymmetric_strategy::private_expedited:
      return membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);
    case asymmetric_strategy::global_expedited:
      return membarrier(MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED);
    case asymmetric_strategy::global:
      return true;
    case asymmetric_strategy::mprotect:
      return page::make();
    default:
      return false;
  }
}

/// A full fence in this thread and in every other, between two of its instructions. False: there
/// was none.
inline bool barrier(asymmetric_strategy strategy) noexcept {
  switch (strategy) {
    case asymmetric_strategy::private_expedited:
      return membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
    case asymmetric_strategy::global_expedited:
      return membarrier(MEMBARRIER_CMD_GLOBAL_EXPEDITED);
    case asymmetric_strategy::global:
      return membarrier(MEMBARRIER_CMD_GLOBAL);
    case asymmetric_strategy::mprotect:
      return page::barrier();
    default:
      return false;
  }
}

}  // namespace fencepost::asymmetric
