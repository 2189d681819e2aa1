// SPDX-License-Identifier: MIT
// Memory that is there at all.
#pragma once

#include <cstdint>

namespace fencepost::checker {

// What is not the program's own memory may be a library's, or nobody's: that is a violation.
void must_exist(std::uintptr_t address, const char* what, std::uint64_t pc);

}  // namespace fencepost::checker
