// SPDX-License-Identifier: MIT
// An event on a word that the checker keeps where the program does not see it: the state of a lock,
// who waits in a queue.
#pragma once

#include "graph/event.hpp"

namespace fencepost::checker {

// What a writer keeps with its change of a read-write lock.
inline constexpr std::uint64_t kWrites = std::uint64_t{1} << 32;

// Does a writer that would otherwise announce itself take the lock?
inline bool takes_rwlock(const Event& announce) {
  if (announce.kind == Kind::write) return (announce.operand & kWrites) != 0;
  return announce.operand != 0 && (announce.value & announce.operand) == 0;
}

inline Event word_event(Operation what, LocationId word, std::uint64_t pc) {
  Event e{};
  e.what = what;
  e.pc = pc;
  e.size = 8;
  e.location = word;
  return e;
}

}  // namespace fencepost::checker
