// SPDX-License-Identifier: MIT
// An event on a word that the checker keeps where the program does not see it: the state of a lock,
// who waits in a queue.
#pragma once

#include "graph/event.hpp"

namespace fencepost::checker {

inline Event word_event(What what, LocationId word, std::uint64_t pc) {
  Event e{};
  e.what = what;
  e.pc = pc;
  e.size = 8;
  e.location = word;
  return e;
}

}  // namespace fencepost::checker
