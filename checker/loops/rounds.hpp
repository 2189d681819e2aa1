// SPDX-License-Identifier: MIT
// Rounds of loops that are back where they were: rounds.cpp.
#pragma once

#include <cstdint>

#include "graph/event.hpp"

namespace fencepost::checker {

// A lock that some thread takes in rounds that change nothing, and that others try.
struct Tried {
  LocationId lock;   // its first word
  unsigned thread;   // that takes it
  unsigned most;     // how many attempts of others could find it held, in one execution
  unsigned counted;  // ... in the one that has just ended
  bool withheld;     // the thread was cut though an attempt more might see one round more
};

struct LoopRound {
  unsigned thread;
  std::uint32_t begin;
  std::uint32_t end;
  bool kept;
  bool seen;   // by an attempt that is in no round that could be left out
  bool takes;  // a lock
  bool counted;
};

}  // namespace fencepost::checker
