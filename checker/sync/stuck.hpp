// SPDX-License-Identifier: MIT
// Who is blocked for ever.
#pragma once

#include <cstddef>
#include <cstdint>

#include "execution/threads/blocked.hpp"
#include "execution/threads/thread.hpp"

namespace fencepost::checker {

// At the end of an execution in which some thread is blocked: is that for ever? True if all who
// are blocked are daemons: then the execution is complete.
bool judge_blocked();
// Who waits in an execution that does not come to its end, if no other has; "" if there is none.
const char* unended();

// Where that one was to assume what does not hold, its place; else 0.
std::uint64_t unended_place();

// The calling thread goes no further, for what it was to assume does not hold. The others do: what
// they write later may be what it should have read, in another execution. At the end of this one
// nothing is judged, for others may wait for the thread, and it does not count.
[[noreturn]] void stop_at_assumption(std::uint64_t pc);

// What the object answers at which a thread is blocked so.
const BlockedAt& blocked_at(Block why);

// For the objects that answer (blocked.hpp). Does the blocked thread's last event see the newest
// value there is?
bool last_read_is_newest(const Thread& t);

}  // namespace fencepost::checker
