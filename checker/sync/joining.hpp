// SPDX-License-Identifier: MIT
// Joining threads.
#pragma once

#include <cstdint>

#include "execution/threads/blocked.hpp"

namespace fencepost::checker {

// Is there another thread that the current one has not joined?
bool beside_others();
// `asks`: for the result, which it returns.
void* join(unsigned id, bool asks, std::uint64_t pc);

extern const BlockedAt kBlockedAtJoin;

}  // namespace fencepost::checker
