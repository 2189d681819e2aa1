// SPDX-License-Identifier: MIT
// Spin locks: 0 free, thread + 1 held.
#pragma once

#include <cstdint>

#include "execution/threads/blocked.hpp"

namespace fencepost::checker {

void lock_spin(std::uintptr_t address, std::uint64_t pc);
bool try_lock_spin(std::uintptr_t address, std::uint64_t pc);
bool unlock_spin(std::uintptr_t address, std::uint64_t pc);  // false: the caller does not hold it

extern const BlockedAt kBlockedAtSpinLock;

}  // namespace fencepost::checker
