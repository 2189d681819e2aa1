// SPDX-License-Identifier: MIT
// Retry loops of which the compiler has proved that they go on with nothing but what a failed
// attempt has found (retries.cpp).
#pragma once

#include "sync/blocked.hpp"

namespace fencepost::checker {

// Such a loop is entered, right after the load that gives it the value to begin with, if there is
// one; its next round begins.
void retry_begins(bool is_loaded);
void retry_turns();

extern const BlockedAt kBlockedInRetry;

}  // namespace fencepost::checker
