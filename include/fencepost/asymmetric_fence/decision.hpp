// SPDX-License-Identifier: MIT
//
// Which strategy is in force, and how it may change under threads that use it.
//
//     undecided ──> a free one ──> another free one
//         │              │
//         │              v
//         └───> full_fences <── retreating
//
// Legal to go from any free strategy to any other at any time: the heavy fence of each reaches the
// light fences of all. Legal to go over to full fences by way of `retreating`: heavy fences still
// reach light fences of the old kind, light fences are full ones already; then comes one heavy
// fence, and behind it no light fence of the old kind can matter. Illegal to go back: a heavy fence
// that interrupted nobody is not made up for.
#pragma once

#include <time.h>

#include <atomic>
#include <cerrno>
#include <cstddef>

#include "fencepost/asymmetric_fence/kernel_barrier.hpp"
#include "fencepost/asymmetric_fence/promise.hpp"
#include "fencepost/asymmetric_fence/strategy.hpp"
#include "fencepost/asymmetric_fence/trial.hpp"
#include "fencepost/asymmetric_fence/wish.hpp"
#include "fencepost/detail/kernel.hpp"

namespace fencepost::asymmetric {

/// The fences within the process, or those between processes.
struct alignas(64) fences {  // read by every light fence: on a line that nobody writes
  // relaxed where nothing else is said: of the two values that may be seen while it changes, both
  // are right.
  std::atomic<asymmetric_strategy> strategy{asymmetric_strategy::undecided};
  // Which may be in force, besides full fences, in this order.
  asymmetric_strategy first;
  asymmetric_strategy last;
};

// For the whole program, also where its parts hide their symbols.
[[gnu::visibility("default")]] inline constinit fences in_process{
    asymmetric_strategy::undecided, asymmetric_strategy::private_expedited,
    asymmetric_strategy::mprotect};
// A light fence between processes must be reached by heavy ones of other processes, whose strategy
// is not known here: there is but one.
[[gnu::visibility("default")]] inline constinit fences between_processes{
    asymmetric_strategy::undecided, asymmetric_strategy::global_expedited,
    asymmetric_strategy::global_expedited};

inline bool is_candidate(const fences& which, asymmetric_strategy strategy) noexcept {
  return which.first <= strategy && strategy <= which.last;
}

/// Whether full fences must not be in force there, for somebody's light fences cannot become such.
constexpr bool must_be_free(const fences& which) noexcept {
  return light_fences_are_free && &which == &in_process;
}

inline bool change(fences& which, asymmetric_strategy& from, asymmetric_strategy to) noexcept {
  return which.strategy.compare_exchange_strong(from, to, std::memory_order_relaxed,
                                                std::memory_order_relaxed);
}

/// The first strategy that works, which it has shown by a heavy fence; or full_fences.
inline asymmetric_strategy working(const fences& which) noexcept {
  for (auto one = which.first; one <= which.last;
       one = static_cast<asymmetric_strategy>(static_cast<unsigned char>(one) + 1)) {
    if (works(one)) return one;
  }
  return asymmetric_strategy::full_fences;
}

/// Puts in force what was asked for if that works, or the first that does.
[[gnu::noinline, gnu::cold]] inline void decide(fences& which) noexcept {
  const wish asked = asked_by_environment();
  auto found = asymmetric_strategy::full_fences;
  if (asked.strategy != asymmetric_strategy::full_fences || must_be_free(which)) {
    const bool is_granted = is_candidate(which, asked.strategy) && works(asked.strategy);
    found = is_granted ? asked.strategy : working(which);
  }
  if (must_be_free(which) && !light_fence_is_free(found)) promise_is_broken();
  auto seen = asymmetric_strategy::undecided;
  const bool is_first = change(which, seen, found);
  if (is_first && &which == &in_process) complain(asked, found);
}

inline asymmetric_strategy decided(fences& which) noexcept {
  for (;;) {
    // acquire: the process has enrolled. Pairs with change(), before which there is a heavy fence.
    // Proof: changed_under_threads[another].
    const auto now = which.strategy.load(std::memory_order_acquire);
    if (now != asymmetric_strategy::undecided) [[likely]]
      return now;
    decide(which);
  }
}

/// Waits until no light fence of the old kind can matter, where nothing else is left.
inline void let_a_second_pass() noexcept {
  // Every processor that runs a thread takes an interrupt or switches threads within this time, and
  // that is a full fence on x86: this thread and those that did not see the new strategy have
  // passed theirs. Nobody gets here but a process that forbids itself all that it had used before.
  timespec left{1, 0};
  while (kernel::sleep(left, &left) == -EINTR) continue;
}

/// Where the strategy in force works no more, as after a sandbox was entered. True: one that works
/// is in force, and has reached everybody. False: full fences are, and everybody was given time.
[[gnu::noinline, gnu::cold]] inline bool heavy_by_other_means(fences& which) noexcept {
  auto now = which.strategy.load(std::memory_order_relaxed);
  if (const auto found = working(which); light_fence_is_free(found)) {
    while (light_fence_is_free(now) && !change(which, now, found)) continue;
    return true;
  }
  if (must_be_free(which)) promise_is_broken();
  while (light_fence_is_free(now) && !change(which, now, asymmetric_strategy::retreating)) continue;
  // Whoever comes meanwhile waits as long.
  let_a_second_pass();
  which.strategy.store(asymmetric_strategy::full_fences, std::memory_order_relaxed);
  return false;
}

/// Puts a strategy in force by somebody's choice. Whether it is.
[[gnu::noinline, gnu::cold]] inline bool use(fences& which, asymmetric_strategy wanted) noexcept {
  if (wanted == asymmetric_strategy::full_fences) {
    if (must_be_free(which)) return false;
  } else if (!is_candidate(which, wanted) || !works(wanted)) {
    return false;
  }
  auto now = which.strategy.load(std::memory_order_relaxed);
  while (now != wanted) {
    if (now == asymmetric_strategy::undecided ||
        (light_fence_is_free(now) && light_fence_is_free(wanted))) {
      if (change(which, now, wanted)) return true;
    } else if (light_fence_is_free(wanted)) {
      return false;
    } else if (!light_fence_is_free(now) || change(which, now, asymmetric_strategy::retreating)) {
      // heavy: who sees full fences in force sees what precedes a light fence of the old kind.
      // Proof: changed_under_threads.
      if (!light_fence_is_free(working(which))) let_a_second_pass();
      which.strategy.store(wanted, std::memory_order_relaxed);
      return true;
    }
  }
  return true;
}

[[gnu::always_inline]] inline void light(const fences& which) noexcept {
  // For the compiler; pairs with barrier(). Before the strategy is looked at: where that is an old
  // one, what precedes is seen by whoever has another. Proofs: store_buffering,
  // changed_under_threads.
  std::atomic_signal_fence(std::memory_order_seq_cst);
  // Also while nothing is decided: whoever executes a heavy fence decides first.
  if (must_be_free(which)) return;
  if (!light_fence_is_free(which.strategy.load(std::memory_order_relaxed))) [[unlikely]] {
    // seq_cst: pairs with the same fence of the heavy side. Proof: full_fences.
    std::atomic_thread_fence(std::memory_order_seq_cst);
  }
}

/// True: everybody who may be at a light fence was interrupted. False: this thread executed a full
/// fence, and whoever's light fences are full ones was reached.
inline bool heavy(fences& which) noexcept {
  const auto now = decided(which);
  if (light_fence_is_free(now) && barrier(now)) [[likely]]
    return true;
  if (now != asymmetric_strategy::full_fences && heavy_by_other_means(which)) return true;
  // seq_cst: pairs with the same fence in light(). Proof: full_fences.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  return false;
}

}  // namespace fencepost::asymmetric
