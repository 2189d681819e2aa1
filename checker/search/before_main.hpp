// SPDX-License-Identifier: MIT
// What goes wrong before main, in constructors of static objects.
#pragma once

#include <cstdint>

namespace fencepost::checker {

void constructors_begin();
void constructors_end();
// Whether a constructor that fails now is a violation.
bool fails_before_main();
[[noreturn]] __attribute__((format(printf, 3, 4))) void violate_before_main(const char* kind,
                                                                            std::uint64_t pc,
                                                                            const char* format,
                                                                            ...);

}  // namespace fencepost::checker
