// SPDX-License-Identifier: MIT
// Loops that may turn only so often (--unroll).
#pragma once

#include <cstdint>

namespace fencepost::checker {

// The current thread comes to a loop, the so-many-th of the function that has this frame.
void loop_begins(std::uintptr_t frame, std::uint32_t number, std::uint64_t pc);
// It goes back to the loop's beginning.
void loop_turns(std::uintptr_t frame, std::uint32_t number, std::uint64_t pc);
// At the end of an execution: the place of a loop that would go on if it might, or 0.
std::uint64_t unfinished_loop();

}  // namespace fencepost::checker
