// SPDX-License-Identifier: MIT
// Is this an address of the executable's code, and not a library's?
#pragma once

#include <cstdint>

extern "C" {
extern char __executable_start[];
extern char etext[];
}

namespace fencepost::checker {

inline bool is_program_code(std::uint64_t pc) {
  return pc >= reinterpret_cast<std::uint64_t>(__executable_start) &&
         pc < reinterpret_cast<std::uint64_t>(etext);
}

}  // namespace fencepost::checker
