// SPDX-License-Identifier: MIT
// Queues of sleepers, on a futex word or a condition variable, and how a wait ends without a
// wake-up.
#pragma once

#include <cstdint>

#include "execution/objects.hpp"
#include "execution/threads/thread.hpp"
#include "graph/event.hpp"

namespace fencepost::checker {

enum class Waited : std::uint8_t { woken, changed, timed_out, spurious };

enum class Limit : std::uint8_t { none, to_come, passed };

// With --timeouts: does this timed wait run out of time? Each thread chooses so once at most.
bool chooses_timeout(std::uint64_t pc, Operation what = Operation::times_out);
// A limit that has passed needs no choice, and no time: who does not get what he waits for at
// once is told so, a few times. Who asks again and again is made to wait like others.
bool limit_has_passed();
Waited leaves_early(Limit limit, std::uint64_t pc);
int wake_waiters(ObjectKind kind, std::uintptr_t address, unsigned count, std::uint64_t mask,
                 std::uint64_t pc);
Waited sleep_in_queue(LocationId queue, Block why, Operation woken, Operation timed_out,
                      std::uintptr_t address, EventId announced, bool timed, bool timed_choice,
                      std::uint64_t pc);
EventId enter_queue(ObjectKind kind, std::uintptr_t address, Operation what, std::uint64_t pc);
void write_queue(LocationId queue, Operation what, EventId read, std::uint64_t value,
                 std::uint64_t pc, std::uint64_t note = 0);

}  // namespace fencepost::checker
