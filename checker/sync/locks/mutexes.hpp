// SPDX-License-Identifier: MIT
// Mutexes: 0 free, thread + 1 held.
#pragma once

#include <cstdint>

#include "execution/threads/blocked.hpp"

namespace fencepost::checker {

bool lock_mutex(std::uintptr_t address, std::uint64_t pc, bool may_repeat = false);
bool try_lock_mutex(std::uintptr_t address, std::uint64_t pc, bool may_repeat);
void unlock_mutex(std::uintptr_t address, std::uint64_t pc);
void initialise_mutex(std::uintptr_t address, std::uint64_t pc);
std::uint64_t mutex_owner(std::uintptr_t address);  // thread + 1 by the newest write, 0: free

extern const BlockedAt kBlockedAtMutex;

}  // namespace fencepost::checker
