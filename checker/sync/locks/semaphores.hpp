// SPDX-License-Identifier: MIT
// Semaphores, whose word is their value.
#pragma once

#include <cstdint>

#include "execution/threads/blocked.hpp"

namespace fencepost::checker {

bool take_from_semaphore(std::uintptr_t address, std::uint64_t initial, bool waits,
                         std::uint64_t pc, bool may_repeat);
// The value before.
std::uint64_t post_semaphore(std::uintptr_t address, std::uint64_t initial, std::uint64_t pc);
std::uint64_t semaphore_value(std::uintptr_t address, std::uint64_t initial, std::uint64_t pc);
// A thread that is blocked at it, kMaxThreads if there is none.
unsigned waits_for_semaphore(std::uintptr_t address);

extern const BlockedAt kBlockedAtSemaphore;

}  // namespace fencepost::checker
