// SPDX-License-Identifier: MIT
// Reads of memory that nobody has written, and what else could have been there (uninitialised.cpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include "execution/thread.hpp"
#include "graph/event.hpp"

namespace fencepost::checker {

// A thread has read bytes of a heap block that nobody has written: in an execution, the first time
// that it does so there.
struct UnwrittenRead {
  std::uintptr_t address;
  std::size_t size;
  unsigned thread;
  std::uint64_t pc;
};

// A local variable that was given no first value.
struct UnwrittenLocal {
  std::uintptr_t address;
  std::size_t size;
};

// An initial value of an atomic object in such bytes.
struct UnwrittenValue {
  LocationId location;
  std::uint64_t value;
};

// How a thread was left when an execution was over.
struct LeftAs {
  ThreadState state;
  Block block;
  std::uint64_t pc;
};

}  // namespace fencepost::checker
