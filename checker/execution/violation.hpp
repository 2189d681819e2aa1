// SPDX-License-Identifier: MIT
// What is found wrong in an execution.
#pragma once

#include <cstdint>

#include "graph/event.hpp"

namespace fencepost::checker {

struct Violation {
  bool found;
  const char* kind;
  char message[512];
  unsigned thread;
  std::uint64_t pc;
  EventId highlight[8];
  unsigned highlights;
  // The plain access that this one clashes with, null if there is none: what it was, before which
  // event of its thread.
  const char* other;
  EventId other_before;
  std::uint64_t other_pc;
  std::uintptr_t address;
};

}  // namespace fencepost::checker
