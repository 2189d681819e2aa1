// SPDX-License-Identifier: MIT
// Loops of which the compiler has proved that nobody can tell how many rounds they took
// (turns.cpp).
#pragma once

#include <cstdint>

#include "execution/accesses/values.hpp"
#include "execution/execution.hpp"
#include "graph/event.hpp"

namespace fencepost::checker {

// Such a loop turns, is entered, is left.
void spin_turns();
void spin_begins();
void spin_ends();

inline bool has_turned() { return execution.current->turned_at == execution.current->cursor; }
// Is this load the one of the round before, in a loop that has turned since?
bool pass_turn(std::uintptr_t address, unsigned size, Order order, std::uint64_t pc, Value* value);

}  // namespace fencepost::checker
