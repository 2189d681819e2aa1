// SPDX-License-Identifier: MIT
// Waits with a time limit that is explored (--timeouts).
#pragma once

#include <cstdint>

#include "execution/execution.hpp"

namespace fencepost::checker {

// Of a blocked thread: does it wait with a limit that is explored; has it met as many as it may?
inline bool has_limit(const Thread& t) { return t.block_timed && execution.options.timeouts != 0; }
inline bool is_out_of_limits(const Thread& t) {
  return has_limit(t) && t.timeouts_taken >= execution.options.timeouts;
}
// The event after which the thread has looked again.
std::uint32_t last_time_out(const Thread& thread);
// Of these threads, who wait without a limit: those that nobody else can help.
std::uint64_t stuck_anyway(std::uint64_t waiting);

}  // namespace fencepost::checker
