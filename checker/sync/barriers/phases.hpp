// SPDX-License-Identifier: MIT
// Phases of a std::barrier.
#pragma once

#include <cstdint>

#include "sync/barriers/barriers.hpp"

namespace fencepost::checker {

// At the beginning of an execution.
void reset_phases();
std::uint64_t arrive_in_phase(const Barrier& barrier, Arrival arrival, std::uint64_t pc);
// Is it for the caller, who has just arrived, to call the function that ends the phase?
bool completes_phase(const Barrier& barrier, std::uint64_t phase, std::uint64_t pc);
void phase_is_complete(const Barrier& barrier, std::uint64_t phase, std::uint64_t pc);
void wait_for_phase(const Barrier& barrier, std::uint64_t phase, std::uint64_t pc);

}  // namespace fencepost::checker
