// SPDX-License-Identifier: MIT
// Is this an address of the executable's code, and not a library's? Of code that is not the
// checker's either?
#pragma once

#include <cstdint>

extern "C" {
extern char __executable_start[];
extern char etext[];
void fencepost_first_code();  // of the checker's, which comes after the program's
}

namespace fencepost::checker {

inline bool is_program_code(std::uint64_t pc) {
  return pc >= reinterpret_cast<std::uint64_t>(__executable_start) &&
         pc < reinterpret_cast<std::uint64_t>(etext);
}

inline bool is_programs_own_code(std::uint64_t pc) {
  return pc >= reinterpret_cast<std::uint64_t>(__executable_start) &&
         pc < reinterpret_cast<std::uint64_t>(&fencepost_first_code);
}

}  // namespace fencepost::checker
