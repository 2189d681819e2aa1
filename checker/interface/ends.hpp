// SPDX-License-Identifier: MIT
// The end of the process, from wherever a function of the C library brings it about.
#pragma once

#include <cstdint>

#include "execution/endings.hpp"
#include "interface/entry.hpp"

namespace fencepost::checker {

[[noreturn]] void end_process(EndsBy by, int status, std::uint64_t pc);

}  // namespace fencepost::checker
