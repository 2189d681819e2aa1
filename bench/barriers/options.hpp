// SPDX-License-Identifier: MIT
//
// What may be asked of a program, and what may not.
#pragma once

#include <string>

namespace bench {

/// Ends the program with status 2 and this message.
[[noreturn]] void refuse(const std::string& what);

/// The number that is given to an option, in this range; else refuses.
double number(const char* option, const char* text, double least, double most, bool is_whole);

}  // namespace bench
