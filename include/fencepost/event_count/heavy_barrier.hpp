// SPDX-License-Identifier: MIT
//
// What a thread does before it trusts a flag that it has raised for a producer that does not fence.
#pragma once

#include "fencepost/asymmetric_fence.hpp"
#include "fencepost/event_count/tuning.hpp"
#include "fencepost/futex.hpp"

namespace fencepost::event_count_kind {

/// Executes a full fence in this thread and, between two of its instructions, in every thread that
/// may be a producer, or knows that producers execute their own. False: in this thread alone, for
/// the kernel has no such barrier.
template <futex::scope Scope>
bool heavy_barrier() noexcept {
  if constexpr (Scope == futex::scope::process) {
    // Pairs with the light fence in two_words::add(), and with the addition without lock in
    // one_producer::add(). Proofs: event_count.no_lost_wakeup[one],
    // event_count.no_lost_wakeup[two].
    asymmetric_thread_fence_heavy();
    return light_fence_is_free(asymmetric_fence_strategy());
  } else {
    // As above, in all processes that have enrolled.
    // Proofs: event_count.no_lost_wakeup[one_interprocess],
    // event_count.no_lost_wakeup[two_interprocess].
    return interprocess_asymmetric_thread_fence_heavy();
  }
}

/// What heavy_barrier() relies on in a process that interrupts nobody: `within` within a process;
/// between them, full fences and locked additions where nobody enrols.
template <futex::scope Scope>
certainty without_heavy_barrier(certainty within) noexcept {
  if constexpr (Scope == futex::scope::process) return within;
  return interprocess_asymmetric_fence_reaches_all() ? certainty::by_order : certainty::by_time;
}

/// Whether heavy_barrier() interrupts.
template <futex::scope Scope>
bool has_heavy_barrier() noexcept {
  if constexpr (Scope == futex::scope::process) {
    return light_fence_is_free(asymmetric_fence_strategy());
  } else {
    return light_fence_is_free(interprocess_asymmetric_fence_strategy());
  }
}

}  // namespace fencepost::event_count_kind
