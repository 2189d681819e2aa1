// SPDX-License-Identifier: MIT
// Futures: what waits for a std::promise, a std::packaged_task or std::async.
#pragma once

#include <cstdint>

#include "execution/threads/blocked.hpp"

namespace fencepost::checker {

// Until the state at `address`, of four bytes, has some of the bits of `ready`.
void wait_for_future(std::uintptr_t address, std::uint32_t ready, std::uint64_t pc);

extern const BlockedAt kBlockedAtFuture;

}  // namespace fencepost::checker
