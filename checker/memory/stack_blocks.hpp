// SPDX-License-Identifier: MIT
// What a thread has taken from its stack as it ran (stack_blocks.cpp).
#pragma once

#include <cstddef>
#include <cstdint>

namespace fencepost::checker {

// A block, or, without a size, where the stack was when it was saved.
struct StackBlock {
  std::uintptr_t address;
  std::size_t size;
};

}  // namespace fencepost::checker
