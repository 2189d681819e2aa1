// SPDX-License-Identifier: MIT
// What is found wrong in an execution.
#pragma once

#include <cstdint>

#include "graph/event.hpp"
#include "memory/shadow.hpp"

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

// Two accesses that race, or the second of which comes too late to be waited for, unless the
// model's own happens-before orders them when the execution is over.
struct DeferredRace {
  const char* kind;
  PlainAccess earlier;
  PlainAccess now;
  bool atomic;  // `earlier` is an event
  std::uintptr_t address;
  std::uint64_t pc;
  char message[256];
};

}  // namespace fencepost::checker
