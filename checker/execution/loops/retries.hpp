// SPDX-License-Identifier: MIT
// Retry loops of which the compiler has proved that they go on with nothing but what a failed
// attempt has found (retries.cpp).
#pragma once

#include "execution/threads/blocked.hpp"
#include "execution/threads/thread.hpp"

namespace fencepost::checker {

// Such a loop is entered; its next round begins. `loop`: which one of those that may be inside one
// another. `is_loaded`: if the thread's last event is a load, it goes on with what that has found.
void retry_begins(int loop, bool is_loaded, RetryWay way);
void retry_turns(int loop, bool is_loaded);

extern const BlockedAt kBlockedInRetry;

}  // namespace fencepost::checker
