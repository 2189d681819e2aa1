// SPDX-License-Identifier: MIT
// What clocks say, in nanoseconds since the start of time.
#pragma once

#include <cstdint>

#include "graph/event.hpp"
#include "graph/storage.hpp"

namespace fencepost::checker {

// What they say to a thread after so many events of its own.
struct TimePassed {
  std::uint32_t index;
  std::uint64_t clock_ns;
};

struct Clocks {
  // To the current thread; that time passes for it; and that it reads a clock.
  std::uint64_t now();
  void advance(std::uint64_t nanoseconds);
  std::uint64_t read(std::uint64_t pc);

  Array<TimePassed> passed[kMaxThreads];  // by thread, in this execution
};

extern Clocks clocks;

}  // namespace fencepost::checker
