// SPDX-License-Identifier: MIT
// Accesses that race with plain ones, or come after the end of what they access.
#pragma once

#include <cstdint>

#include "memory/shadow.hpp"

namespace fencepost::checker {

void race(const Cell* cell, const PlainAccess& access, std::uintptr_t address, const char* now,
          std::uint64_t pc);
// What is accessed has been freed or destroyed, or lies behind the end of its block.
[[noreturn]] void comes_too_late(const PlainAccess& end, const PlainAccess& access,
                                 std::uintptr_t address, const char* now, std::uint64_t pc);

}  // namespace fencepost::checker
