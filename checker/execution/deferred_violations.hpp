// SPDX-License-Identifier: MIT
// What is found in an execution that may turn out not to exist.
#pragma once

#include <cstdint>

#include "memory/shadow.hpp"

namespace fencepost::checker {

// At the beginning of an execution.
void forget_deferred();
bool any_deferred();
// Does the model admit the execution as far as it has gone?
bool certain();
// Stops the thread that has done wrong until the execution is over.
[[noreturn]] void defer();
// Two accesses that the graph's happens-before does not order.
__attribute__((format(printf, 7, 8))) void suspect(const char* kind, const PlainAccess& earlier,
                                                   const PlainAccess& now, bool atomic,
                                                   std::uintptr_t address, std::uint64_t pc,
                                                   const char* format, ...);
// The violation has to do with this access, too.
void clashes_with(const PlainAccess& earlier, std::uintptr_t address);
// At the end of an execution: is it one, and what becomes of what was put aside or suspected?
void judge_execution();

}  // namespace fencepost::checker
