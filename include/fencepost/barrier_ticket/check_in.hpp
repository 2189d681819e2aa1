// SPDX-License-Identifier: MIT
//
// What a thread that has a processor to itself does for those who wait for tickets: it is never
// interrupted, so it says from time to time that it has executed a full fence.
//
// It says so for the processor and not for itself. Whoever else was on that processor before has
// been switched out since, which is a full fence, too. So nobody has to register, and a thread that
// checks in where it is not alone does no harm.
#pragma once

#include <sched.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "fencepost/interrupt_clock.hpp"

namespace fencepost {

namespace ticket {

struct alignas(64) processor {
  // Legal to be earlier than the last fence there; illegal to be later than it by more than
  // interrupt_clock::slack.
  std::atomic<std::uint64_t> checked_in{0};
};

// One a processor, for the whole program, also where its parts hide their symbols. Pages of it that
// nobody checks in to are not there.
[[gnu::visibility("default")]] inline constinit processor processors[CPU_SETSIZE] = {};

/// Has somebody checked in on that processor later than that?
inline bool has_checked_in_since(std::uint64_t time, std::uint32_t cpu) noexcept {
  if (cpu >= CPU_SETSIZE) return false;
  // acquire: what the thread did before is visible. Pairs with barrier_check_in(). Proof: check_in.
  const std::uint64_t last = processors[cpu].checked_in.load(std::memory_order_acquire);
  return last > time && last - time > interrupt_clock::slack;
}

}  // namespace ticket

/// Says that this processor has passed a full fence: for threads on processors that they have to
/// themselves, where neither interrupts nor switches say so. As often as waiters should have to
/// wait; a full fence and a look at the time. Not within what a light fence is to protect.
inline void barrier_check_in() noexcept {
  const std::uint64_t now = ::fencepost::processors::monotonic_now();
  // seq_cst: after the time was read, and before it is published. What this thread does from here
  // on sees what precedes a ticket that is older than that. Proof: check_in.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  // After the time was read, too: this thread was here when it had passed.
  const int cpu = ::sched_getcpu();
  if (cpu < 0 || cpu >= CPU_SETSIZE) return;
  // relaxed: behind the fence. Pairs with has_checked_in_since().
  ticket::processors[static_cast<std::size_t>(cpu)].checked_in.store(now,
                                                                     std::memory_order_relaxed);
}

}  // namespace fencepost
