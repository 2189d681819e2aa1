// SPDX-License-Identifier: MIT
// Barriers and latches: where threads meet, and how they come there.
#pragma once

#include <cstdint>

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

struct Latch {
  std::uintptr_t address;
  std::uint64_t expected;
};

}  // namespace fencepost::checker
