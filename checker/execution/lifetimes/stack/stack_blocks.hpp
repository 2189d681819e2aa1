// SPDX-License-Identifier: MIT
// Memory that a function takes from the stack as it runs, and what has been left below the stack.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fencepost::checker {

void stack_saved(std::uintptr_t stack);
void block_begins(std::uintptr_t address, std::size_t size, std::uint64_t pc);
void stack_restored(std::uintptr_t stack, std::uint64_t pc);
// All functions below are left, by what `ends` says.
void stack_unwound(std::uintptr_t stack, std::uint64_t pc, const char* ends);
[[gnu::noinline, gnu::cold]] void must_not_be_left(std::uintptr_t address, std::uintptr_t stack,
                                                   std::uint64_t pc);

}  // namespace fencepost::checker
