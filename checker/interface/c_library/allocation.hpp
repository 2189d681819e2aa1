// SPDX-License-Identifier: MIT
// The program's heap, for what the checker allocates in its name (memory.cpp).
#pragma once

#include <cstddef>
#include <cstdint>

namespace fencepost::checker {

void* program_allocate(std::size_t size, std::size_t alignment, std::uint64_t pc);
// A block's start; else it is a violation.
void program_free(void* p, std::uint64_t pc);

}  // namespace fencepost::checker
