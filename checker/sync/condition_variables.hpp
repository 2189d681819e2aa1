// SPDX-License-Identifier: MIT
// Condition variables.
#pragma once

#include <cstdint>

#include "execution/threads/blocked.hpp"
#include "sync/queues.hpp"

namespace fencepost::checker {

// A thread that the current one knows to sleep on it, kMaxThreads if there is none.
unsigned known_sleeper(std::uintptr_t condition);
// `binds`: nobody may wait on it with another mutex meanwhile. `releases`: the mutex is unlocked,
// and locked again in the end.
Waited condition_wait(std::uintptr_t condition, std::uintptr_t mutex, bool binds, bool releases,
                      Limit limit, std::uint64_t pc);

extern const BlockedAt kBlockedAtCondition;

}  // namespace fencepost::checker
