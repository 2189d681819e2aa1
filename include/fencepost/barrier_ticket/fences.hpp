// SPDX-License-Identifier: MIT
//
// Heavy fences that waiters executed: each does for every ticket of the process that was begun
// before it. Where many wait, few pay.
#pragma once

#include <atomic>
#include <cstdint>

#include "fencepost/asymmetric_fence.hpp"

namespace fencepost::ticket {

/// Numbers of fences, modulo 2^32; the ones that are compared are much nearer to each other.
struct alignas(64) fences {
  std::atomic<std::uint32_t> begun{0};
  // Legal to be lower than the number of a fence that is over; illegal to be higher than that of
  // every fence that is.
  std::atomic<std::uint32_t> over{0};
};

// One for the whole program, also where its parts hide their symbols.
[[gnu::visibility("default")]] inline constinit fences process_fences;

/// How many have begun. Behind a full fence; whoever begins one later sees what precedes that.
inline std::uint32_t fences_begun() noexcept {
  // It writes, though nothing new: a later fence_for_all() then comes to read it, and what precedes
  // happens before its fence. That a load came first would not say so. relaxed: there are full
  // fences on both sides. Proof: somebody_elses_fence.
  return process_fences.begun.fetch_add(0, std::memory_order_relaxed);
}

/// Whether one that begun later than that is over.
inline bool fence_over_since(std::uint32_t begun) noexcept {
  // acquire: what its light sides did before it is visible. Pairs with fence_for_all(). Proof:
  // somebody_elses_fence.
  const std::uint32_t over = process_fences.over.load(std::memory_order_acquire);
  return static_cast<std::int32_t>(over - begun) > 0;
}

/// Executes one, on behalf of all.
inline void fence_for_all() noexcept {
  const std::uint32_t own = process_fences.begun.fetch_add(1, std::memory_order_relaxed) + 1;
  // heavy: for every ticket that was begun before. Proof: somebody_elses_fence.
  asymmetric_thread_fence_heavy();
  std::uint32_t over = process_fences.over.load(std::memory_order_relaxed);
  // relaxed: behind the fence. Pairs with fence_over_since().
  while (static_cast<std::int32_t>(own - over) > 0 &&
         !process_fences.over.compare_exchange_weak(over, own, std::memory_order_relaxed)) {
    continue;
  }
}

}  // namespace fencepost::ticket
