// SPDX-License-Identifier: MIT
// What a call of printf and its kin reads of the program's memory, and writes by %n.
#pragma once

#include <cstdarg>
#include <cstdint>

namespace fencepost::checker {

void follow_printf(const char* format, std::va_list arguments, std::uint64_t pc);

}  // namespace fencepost::checker
