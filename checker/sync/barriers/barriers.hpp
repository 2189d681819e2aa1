// SPDX-License-Identifier: MIT
// Barriers: where threads meet, and how they come there.
#pragma once

#include <cstdint>

#include "execution/threads/blocked.hpp"
#include "graph/event.hpp"

namespace fencepost::checker {

enum class BarrierKind : std::uint8_t { posix, standard, latch };

struct Barrier {
  std::uintptr_t address;
  std::uint64_t incarnation;  // tells a barrier from an earlier one at the same address
  std::uint64_t expected;     // arrivals that end its first round
  BarrierKind kind = BarrierKind::posix;
  bool completes = false;  // a std::barrier with a function that is called at the end of a round
};

struct Arrival {
  std::uint64_t count = 1;  // arrivals that it stands for
  bool drops = false;       // one arrival less is expected in later rounds
  bool waits = true;        // and does nothing else until the round is full
  bool asks = false;        // will call serial_at_barrier
  bool claims = false;      // is the last of its round, says it: phases.cpp
};

// Until it is over; and if it is completed by a function, that is so or not, too.
enum class Until : std::uint8_t { all_have_arrived, completed };

struct Round {
  std::uint64_t number;
  std::uint64_t expected;  // arrivals
  std::uint64_t known;     // ... that the current thread knows of
};

// Returns the round.
std::uint64_t arrive_at_barrier(const Barrier& barrier, const Arrival& arrival, std::uint64_t pc);
void wait_for_round(const Barrier& barrier, std::uint64_t round, Until until, std::uint64_t pc);
// Is the caller, which has passed, the one of its round that is told so?
bool serial_at_barrier(const Barrier& barrier, std::uint64_t round, std::uint64_t pc);
// Somebody who waits in a round that is not full, kInitial if there is nobody.
EventId waits_at_barrier(const Barrier& barrier);
std::uint64_t arrivals_missing(const Barrier& barrier, std::uint64_t round);
// The round that the current thread would arrive in.
Round round_to_come(const Barrier& barrier);
// An event of the current thread that others may come after.
void come_to(const Barrier& barrier, Operation what, std::uint64_t value, std::uint16_t flags,
             std::uint64_t pc);
void wake_at_barrier(std::uintptr_t address);

extern const BlockedAt kBlockedAtBarrier;

}  // namespace fencepost::checker
