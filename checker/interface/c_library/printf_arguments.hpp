// SPDX-License-Identifier: MIT
// What a call of printf and its kin reads of the program's memory, and writes by %n.
#pragma once

#include <cstdarg>
#include <cstdint>
#include <type_traits>

#include "interface/c_library/touched.hpp"

namespace fencepost::checker {

void follow_printf(const char* format, std::va_list arguments, std::uint64_t pc);
// The bytes that it is to write must be apart from all that.
void must_print_elsewhere(const char* to, std::size_t size, const char* format,
                          std::va_list arguments, std::uint64_t pc);

// A list that is given by its address is changed as its arguments are taken.
template <typename List>
void takes_arguments(List list, std::uint64_t pc) {
  if constexpr (std::is_pointer_v<List>) writes(list, sizeof *list, pc);
}

}  // namespace fencepost::checker
