// SPDX-License-Identifier: MIT
// Loops that are back where they were.
#pragma once

#include "sync/blocked.hpp"

namespace fencepost::checker {

// Of a thread that repeats a round (Thread::loop_start): would it read the same again?
bool round_reads_newest(const Thread& thread);

extern const BlockedAt kBlockedInLoop;

}  // namespace fencepost::checker
