// SPDX-License-Identifier: MIT
//
// Asymmetric fences: a store-load barrier of which one side costs next to nothing.
//
// Two threads that each store and then look at the other's variable need a full fence in between,
// both of them. When one side runs a million times as often as the other, the other can pay for
// both: the frequent side executes a light fence, which keeps the compiler in order and is no fence
// to the processor, and the rare side a heavy fence, for which the kernel interrupts every
// processor that runs a thread of this process and has it execute a full fence there and then.
//
//     x.store(1, relaxed);                        y.store(1, relaxed);
//     asymmetric_thread_fence_light();            asymmetric_thread_fence_heavy();
//     a = y.load(relaxed);                        b = x.load(relaxed);          // not both 0
//
// Guaranteed: of a light and a heavy fence, or of two heavy ones, one comes first, and what
// precedes it is seen behind the other, as with two std::atomic_thread_fence(seq_cst). Not
// guaranteed: any order between two light fences, or between a light one and
// std::atomic_thread_fence. Source: David Goldblatt, "P1202R5: Asymmetric Fences"; the names are
// those proposed there.
//
// How it works. Linux has membarrier(2) for this, in several forms; where a sandbox or an old
// kernel withholds it, taking a page away from the process has the same effect on x86-64. Which of
// them is in force is decided once for the process, the first time somebody needs it and at the
// latest before main(): the first that has worked in a real call (asymmetric_fence/strategy.hpp has
// the order, trial.hpp says how a call is risked that a sandbox may kill for). Where nothing works
// both sides are full fences. While nothing is decided a light fence is a full fence, which is
// right with any strategy, so fences may be used from static initialisers.
//
// Who knows better says so: with the environment variable FENCEPOST_ASYMMETRIC_FENCE, or by
// use_asymmetric_fence_strategy(), also while threads are at it (asymmetric_fence/decision.hpp).
// fork() keeps what was decided and the kernel's registration, exec() starts anew.
//
// Costs: light, a load and a predictable branch, or nothing where the build promises that some
// strategy works: FENCEPOST_LIGHT_FENCES_ARE_FREE, asymmetric_fence/promise.hpp. Heavy, on a
// virtual machine 0.4 microseconds in the median when no other thread of the process runs, 11 when
// some do (docs/design/barrier_latency.md), and the disturbance of those. Calls of many threads at
// once queue up inside the kernel.
#pragma once

#include "fencepost/language.hpp"

#include <atomic>

#include "fencepost/asymmetric_fence/decision.hpp"
#include "fencepost/asymmetric_fence/strategy.hpp"

namespace fencepost {

/// Which strategy is in force in this process; decides if nobody has. Never `undecided`.
inline asymmetric_strategy asymmetric_fence_strategy() noexcept {
  return asymmetric::decided(asymmetric::in_process);
}

/// Puts a strategy in force, at any time and under any threads; before the first thread is started
/// it costs least. False: it does not work here, or full fences have been in force, from which
/// there is no way back; nothing has changed then. A process that is about to enter a sandbox in
/// which its strategy is forbidden uses full_fences beforehand. `undecided` is no choice.
inline bool use_asymmetric_fence_strategy(asymmetric_strategy strategy) noexcept {
  return asymmetric::use(asymmetric::in_process, strategy);
}

/// The light side; see the top of the file. `order` is P1202's: relaxed is no fence at all, and
/// every other order is treated as seq_cst, which costs no more.
[[gnu::always_inline]] inline void asymmetric_thread_fence_light(
    std::memory_order order = std::memory_order_seq_cst) noexcept {
  if (order != std::memory_order_relaxed) asymmetric::light(asymmetric::in_process);
}

/// The heavy side; see the top of the file. Reaches the threads of this process. Cannot fail: where
/// its strategy stops working the next one is in force, and where that are full fences it takes a
/// second, once.
inline void asymmetric_thread_fence_heavy(
    std::memory_order order = std::memory_order_seq_cst) noexcept {
  if (order != std::memory_order_relaxed) asymmetric::heavy(asymmetric::in_process);
}

// Between processes. A heavy fence reaches the processes that have enrolled; a light fence counts
// on being reached only where its own process has, and is a full fence elsewhere. So a process may
// join at any time, and one that cannot enrol pays itself. What remains is a process that others
// rely on to interrupt them and that cannot: its heavy fence says so by its result.
//
// On kernels whose form of the barrier cannot be relied on (asymmetric_fence/kernel_version.hpp)
// nobody enrols. All light fences between processes are full ones there, and so is the heavy fence,
// which reaches everybody.

/// As asymmetric_fence_strategy(), for the fences between processes: global_expedited or
/// full_fences.
inline asymmetric_strategy interprocess_asymmetric_fence_strategy() noexcept {
  return asymmetric::decided(asymmetric::between_processes);
}

/// As use_asymmetric_fence_strategy(), for the fences between processes.
inline bool use_interprocess_asymmetric_fence_strategy(asymmetric_strategy strategy) noexcept {
  return asymmetric::use(asymmetric::between_processes, strategy);
}

namespace detail {

/// Enrols before main(), while that is cheap, a program that uses the fences between processes.
template <asymmetric_strategy (*decision)() noexcept>
inline const asymmetric_strategy decided_early = decision();

}  // namespace detail

/// The light side between processes. A template so that only programs that call it enrol.
template <asymmetric_strategy (*decision)() noexcept = interprocess_asymmetric_fence_strategy>
[[gnu::always_inline]] inline void interprocess_asymmetric_thread_fence_light(
    std::memory_order order = std::memory_order_seq_cst) noexcept {
  static_cast<void>(&detail::decided_early<decision>);
  if (order != std::memory_order_relaxed) asymmetric::light(asymmetric::between_processes);
}

/// Whether the heavy fence between processes reaches everybody, as its result would say.
inline bool interprocess_asymmetric_fence_reaches_all() noexcept {
  return light_fence_is_free(interprocess_asymmetric_fence_strategy()) ||
         asymmetric::global_expedited_misses_threads();
}

/// The heavy side between processes. False: this process cannot interrupt the others, so that only
/// those whose light fences are full ones were reached. Who relies on it must then sleep for
/// bounded times and look again.
[[nodiscard]] inline bool interprocess_asymmetric_thread_fence_heavy(
    std::memory_order order = std::memory_order_seq_cst) noexcept {
  return order == std::memory_order_relaxed || asymmetric::heavy(asymmetric::between_processes) ||
         asymmetric::global_expedited_misses_threads();
}

namespace detail {
/// Decides before main(): registering is cheap while there is one thread, and takes milliseconds
/// when there are several.
inline const asymmetric_strategy process_decided_early = asymmetric_fence_strategy();
}  // namespace detail

}  // namespace fencepost
