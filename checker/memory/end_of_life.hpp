// SPDX-License-Identifier: MIT
// The end of a static object, in an execution (lifetimes.cpp).
#pragma once

#include <cstddef>
#include <cstdint>

namespace fencepost::checker {

// What a thread has ended the life of, after so many events of its own.
struct EndOfLife {
  std::uintptr_t address;
  std::size_t size;
  std::uint32_t index;
  unsigned thread;
  std::uint64_t pc;
};

}  // namespace fencepost::checker
