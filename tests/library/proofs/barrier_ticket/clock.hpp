// SPDX-License-Identifier: MIT
//
// An interrupt clock of two processors under the checker, and what the program in the kernel does
// when processor 1 is interrupted (src/barrierd/kernel/interrupt_clock.bpf.c). Everything that
// begins a ticket runs on processor 0, for that is what sched_getcpu() says to everybody.
#pragma once

#include <atomic>

#include "fencepost/barrier_ticket.hpp"

#if !defined(BARRIERS)
#define BARRIERS 1
#endif
#if !defined(VIRTUAL)
#define VIRTUAL 0  // the clock by which passed() asks
#endif

namespace proof {

alignas(64) inline fencepost_clock_line clock_lines[4]{{.header = {.slots = 2}}};

/// A thread.
inline void* time_passes(void*) {
  constexpr std::uint64_t later = 10 * fencepost::interrupt_clock::slack;
  fencepost::processors::checked_time.store(later, std::memory_order_relaxed);
#if VIRTUAL
  std::atomic_ref(clock_lines[1].state.virtual_time).store(1, std::memory_order_relaxed);
#endif
  return nullptr;
}

inline const fencepost::interrupt_clock& clock() {
  return *reinterpret_cast<const fencepost::interrupt_clock*>(&clock_lines[0]);
}

inline fencepost::barrier_ticket begin() { return fencepost::barrier_ticket::begin_by(&clock()); }

/// Behind a full fence: waits for later stamps, and says by its result whether there is one.
class waiter {
 public:
  bool passed() {
#if VIRTUAL
    return clock().virtual_stamp(1) > since_;
#else
    return ticket_.ready();
#endif
  }

 private:
#if VIRTUAL
  std::uint64_t since_ = clock().virtual_now();
#else
  fencepost::barrier_ticket ticket_ = begin();
#endif
};

/// The time, by the same clock.
inline std::uint64_t now() {
#if VIRTUAL
  return std::atomic_ref(clock_lines[1].state.virtual_time).load(std::memory_order_relaxed);
#else
  return fencepost::processors::monotonic_now();
#endif
}

/// Writes the stamp of processor 1. The atomic operations of BPF that return a value are full
/// barriers on both sides, as those of the kernel. Without BARRIERS, none.
inline void stamp(std::uint64_t time) {
  auto& its = clock_lines[fencepost_clock_first_slot + 1].slot;
  const std::atomic_ref stamp(VIRTUAL ? its.virtual_stamp : its.stamp);
#if BARRIERS
  std::atomic_thread_fence(std::memory_order_seq_cst);
  // The virtual one is stored behind the exchange of the other.
  stamp.exchange(time, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_seq_cst);
#else
  stamp.store(time, std::memory_order_release);
#endif
}

/// To be called by the thread that is interrupted, where it is.
inline void interrupt() { stamp(now()); }

}  // namespace proof
