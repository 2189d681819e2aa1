// SPDX-License-Identifier: MIT
// Futexes.
#pragma once

#include <cstdint>

#include "execution/threads/blocked.hpp"
#include "sync/queues.hpp"

namespace fencepost::checker {

// `mask`: a wake-up reaches a futex waiter only if their masks have a bit in common, and the same
// bits above the lower 32, which tell what is private from what is shared.
Waited futex_wait(std::uintptr_t address, std::uint32_t expected, std::uint64_t mask, Limit limit,
                  std::uint64_t pc);

extern const BlockedAt kBlockedAtFutex;

}  // namespace fencepost::checker
