// SPDX-License-Identifier: MIT
// What those say who come to a barrier or a latch (barriers.cpp, phases.cpp, latches.cpp): operand
// the barrier, state its incarnation, value the round, and of an arrival beside the round for how
// many it stands and what follows.
#pragma once

#include "execution/threads/thread.hpp"
#include "graph/graph.hpp"
#include "sync/barriers/barriers.hpp"

namespace fencepost::checker::arrivals {

inline constexpr unsigned kCountShift = 24;
inline constexpr std::uint64_t kRound = (std::uint64_t{1} << kCountShift) - 1;
inline constexpr std::uint64_t kDrops = std::uint64_t{1} << 63;
inline constexpr std::uint64_t kAsks = std::uint64_t{1} << 62;
inline constexpr std::uint64_t kWaits = std::uint64_t{1} << 61;
inline constexpr std::uint64_t kClaims = std::uint64_t{1} << 60;
inline constexpr std::uint64_t kCompletes = std::uint64_t{1} << 59;
inline constexpr std::uint64_t kCount = kCompletes - (std::uint64_t{1} << kCountShift);
static_assert(kMaxThreads * kMaxEventsPerThread < kRound);

inline std::uint64_t round_of(const Event& arrival) { return arrival.value & kRound; }
inline std::uint64_t count_of(const Event& arrival) {
  return (arrival.value & kCount) >> kCountShift;
}
inline std::uint64_t value_of(std::uint64_t round, const Barrier& b, const Arrival& a) {
  return round | a.count << kCountShift | (a.drops ? kDrops : 0) | (a.asks ? kAsks : 0) |
         (a.waits ? kWaits : 0) | (a.claims ? kClaims : 0) | (b.completes ? kCompletes : 0);
}

inline Operation arrival_at(const Barrier& b) {
  return b.kind == BarrierKind::latch ? Operation::latch_count_down : Operation::barrier_arrive;
}

// To leave a POSIX barrier is one more event for each arrival, and so it is elsewhere; there are
// three names for it, for there are three things to tell of it.
inline Operation leave_of(const Barrier& b) {
  return b.kind == BarrierKind::posix      ? Operation::barrier_leave
         : b.kind == BarrierKind::standard ? Operation::barrier_wait
                                           : Operation::latch_pass;
}

inline Block block_of(const Barrier& b) {
  return b.kind == BarrierKind::latch ? Block::latch : Block::barrier;
}

inline bool is_at(const Barrier& b, Operation what, const Event& e) {
  return e.what == what && e.operand == b.address && e.state == b.incarnation;
}

// What is said of the standard's leaves out that a thread would drain its store buffer there. Only
// to count a latch down does in every library, by the one instruction that it is on x86.
inline std::uint16_t arrival_flags(const Barrier& b) {
  return b.kind == BarrierKind::standard ? kUnlocked : 0;
}
inline std::uint16_t leave_flags(const Barrier& b) {
  return b.kind == BarrierKind::posix ? 0 : kUnlocked;
}

template <typename Visit>
void each_of(Graph& g, const Barrier& b, Operation what, Visit visit) {
  for (unsigned t = 0; t < g.threads(); ++t) {
    for (unsigned i = 0; i < g.size(t); ++i) {
      const Event& e = g.at(t, i);
      if (is_at(b, what, e)) visit(event_id(t, i), e);
    }
  }
}

template <typename Visit>
void each_arrival(Graph& g, const Barrier& b, Visit visit) {
  each_of(g, b, arrival_at(b), visit);
}

}  // namespace fencepost::checker::arrivals
