// SPDX-License-Identifier: MIT
// Registrations for the commands of membarrier.
#pragma once

#include <cstdint>

namespace fencepost::checker {

// What the kernel knows of the process: its registration for a command of membarrier, 0 or 1.
void register_membarrier(unsigned command, bool before_main, std::uint64_t pc);
bool membarrier_registered(unsigned command, std::uint64_t pc);

}  // namespace fencepost::checker
