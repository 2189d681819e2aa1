// SPDX-License-Identifier: MIT
// Fences, and the asymmetric ones.
#pragma once

#include <cstdint>

#include "graph/event.hpp"

namespace fencepost::checker {

void atomic_fence(Order order, std::uint64_t pc);
// At a lock, which no fence orders by the standard.
void attempt_fails();
// AArch64: an atomic instruction that gives no result. A fence for loads does not order what it
// reads, so a program with both is refused.
void adds_without_result(std::uint64_t pc);
void light_fence(std::uint64_t pc);
void heavy_fence(std::uint64_t pc);

}  // namespace fencepost::checker
