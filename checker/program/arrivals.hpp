// SPDX-License-Identifier: MIT
// What an arrival at a barrier says (barriers.cpp, phases.cpp): operand the barrier, state its
// incarnation, value the round, and beside the round how many arrivals it stands for and what
// follows.
#pragma once

#include "program/runtime.hpp"

namespace fencepost::checker::arrivals {

inline constexpr std::uint64_t kRound = 0xffffffff;
inline constexpr unsigned kCountShift = 32;
inline constexpr std::uint64_t kDrops = std::uint64_t{1} << 63;
inline constexpr std::uint64_t kAsks = std::uint64_t{1} << 62;
inline constexpr std::uint64_t kWaits = std::uint64_t{1} << 61;
inline constexpr std::uint64_t kClaims = std::uint64_t{1} << 60;
inline constexpr std::uint64_t kCompletes = std::uint64_t{1} << 59;
inline constexpr std::uint64_t kCount = kCompletes - (std::uint64_t{1} << kCountShift);

inline std::uint64_t round_of(const Event& arrival) { return arrival.value & kRound; }
inline std::uint64_t count_of(const Event& arrival) {
  return (arrival.value & kCount) >> kCountShift;
}
inline std::uint64_t value_of(std::uint64_t round, const Runtime::Barrier& b,
                              const Runtime::Arrival& a) {
  return round | a.count << kCountShift | (a.drops ? kDrops : 0) | (a.asks ? kAsks : 0) |
         (a.waits ? kWaits : 0) | (a.claims ? kClaims : 0) | (b.completes ? kCompletes : 0);
}

inline bool is_arrival_at(const Runtime::Barrier& b, const Event& e) {
  return e.what == What::barrier_arrive && e.operand == b.address && e.state == b.incarnation;
}

// What is said of the standard's leaves out that a thread would drain its store buffer there.
inline std::uint16_t join_flags(const Runtime::Barrier& b) { return b.standard ? kUnlocked : 0; }

template <typename Visit>
void each_arrival(Graph& g, const Runtime::Barrier& b, Visit visit) {
  for (unsigned t = 0; t < g.threads(); ++t) {
    for (unsigned i = 0; i < g.size(t); ++i) {
      const Event& e = g.at(t, i);
      if (is_arrival_at(b, e)) visit(event_id(t, i), e);
    }
  }
}

}  // namespace fencepost::checker::arrivals
