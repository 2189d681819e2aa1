// SPDX-License-Identifier: MIT
// What others have done to a thread's stack in an execution (own_stack.cpp).
#pragma once

#include <cstdint>

namespace fencepost::checker {

struct StackWrite {
  std::uintptr_t word;
  unsigned char before[8];
  std::uint32_t index;  // events of the writing thread before it
  std::uint8_t thread;
  std::uint8_t mask;
};

struct StackAtomic {
  std::uintptr_t word;
  std::uint8_t mask;
  unsigned char first[8];
  unsigned char last[8];
};

struct Shown {
  std::uintptr_t word;
  std::uint8_t mask;
  unsigned char memory[8];
};

}  // namespace fencepost::checker
