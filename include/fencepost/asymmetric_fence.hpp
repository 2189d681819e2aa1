// SPDX-License-Identifier: MIT
//
// Asymmetric fences: a store-load barrier of which one side costs nothing.
//
// Two threads that each store and then look at the other's variable need a full fence in between,
// both of them. When one side runs a million times as often as the other, the other can pay for
// both: the frequent side executes a light fence, which keeps the compiler in order and is no
// instruction, and the rare side a heavy fence, for which the kernel interrupts every processor
// that runs a thread of this process and has it execute a full fence there and then.
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
// How it works. Linux has membarrier(2) for this. It may be missing: an old kernel, a sandbox, an
// emulator that says success and does nothing of the kind is out of our hands. So one strategy is
// agreed on for the process, the first time somebody needs it and at the latest before main():
//
// * membarrier: registering worked, and so did one real call. Nothing else is believed.
// * full_fences: it did not. Both sides are full fences from then on.
//
// While nothing is decided a light fence is a full fence, which is right with either strategy, so
// fences may be used from static initialisers. fork() keeps the registration, exec() starts anew.
//
// Costs: light, a load and a predictable branch; heavy, 0.2 microseconds when no other thread of
// the process runs, a few when some do, and the disturbance of those. Calls of many threads at once
// queue up inside the kernel.
#pragma once

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

namespace fencepost {

enum class asymmetric_strategy : unsigned char {
  undecided,   ///< light fences are full fences until somebody decides
  membarrier,  ///< light fences are for the compiler, heavy ones are the kernel's
  retreating,  ///< membarrier stopped working: light fences are full again, heavy ones take a
               ///< second
  full_fences  ///< both sides are std::atomic_thread_fence(seq_cst)
};

namespace detail {

// One variable for the whole program, also where its parts hide their symbols.
// Legal to go from undecided to membarrier or full_fences, and from membarrier by retreating to
// full_fences; illegal to go back: a light fence that was skipped is not made up for.
[[gnu::visibility("default")]] inline constinit std::atomic<asymmetric_strategy> process_strategy{
    asymmetric_strategy::undecided};
[[gnu::visibility("default")]] inline constinit std::atomic<asymmetric_strategy>
    interprocess_strategy{asymmetric_strategy::undecided};

inline bool membarrier(int command) noexcept {
  const int before = errno;
  const long failed = ::syscall(SYS_membarrier, command, 0, 0);
  errno = before;
  return failed == 0;
}

[[gnu::noinline, gnu::cold]] inline asymmetric_strategy decide(
    std::atomic<asymmetric_strategy>& strategy, int enrol, int barrier) noexcept {
  // An error of any kind means that there is no membarrier: sandboxes invent their own.
  asymmetric_strategy seen = asymmetric_strategy::undecided;
  const auto found = membarrier(enrol) && membarrier(barrier) ? asymmetric_strategy::membarrier
                                                              : asymmetric_strategy::full_fences;
  // relaxed: nothing is published but the value. A thread that misses it executes a full fence.
  return strategy.compare_exchange_strong(seen, found, std::memory_order_relaxed,
                                          std::memory_order_relaxed)
             ? found
             : seen;
}

/// Where membarrier worked once and works no more, as after a sandbox was entered: goes over to
/// full fences, and waits until no light fence of the old kind can matter.
[[gnu::noinline, gnu::cold]] inline void retreat(
    std::atomic<asymmetric_strategy>& strategy) noexcept {
  auto seen = asymmetric_strategy::membarrier;
  strategy.compare_exchange_strong(seen, asymmetric_strategy::retreating, std::memory_order_relaxed,
                                   std::memory_order_relaxed);
  // Every processor that runs a thread takes an interrupt or switches threads within this time, and
  // that is a full fence on x86: this thread and those that did not see the new strategy have
  // passed theirs. Nothing better is left, and nothing gets here but a process that forbids itself
  // membarrier after it had used it. Whoever comes meanwhile waits as long.
  const int before = errno;
  timespec left{1, 0};
  while (::nanosleep(&left, &left) != 0 && errno == EINTR) continue;
  errno = before;
  strategy.store(asymmetric_strategy::full_fences, std::memory_order_relaxed);
}

/// The kernel's barrier. False: it had to retreat.
[[gnu::noinline]] inline bool barrier(std::atomic<asymmetric_strategy>& strategy, int enrol,
                                      int command) noexcept {
  if (strategy.load(std::memory_order_relaxed) == asymmetric_strategy::membarrier) {
    if (membarrier(command)) return true;
    if (membarrier(enrol) && membarrier(command)) return true;  // a new image by exec() or the like
  }
  retreat(strategy);
  return false;
}

[[gnu::always_inline]] inline void light(
    const std::atomic<asymmetric_strategy>& strategy) noexcept {
  // relaxed: of the two values that may be seen while the strategy changes, both are right.
  if (strategy.load(std::memory_order_relaxed) == asymmetric_strategy::membarrier) [[likely]] {
    // For the compiler; pairs with membarrier in barrier(). Proof: store_buffering.
    std::atomic_signal_fence(std::memory_order_seq_cst);
  } else {
    // seq_cst: pairs with the fence of the heavy side. Proof: full_fences.
    std::atomic_thread_fence(std::memory_order_seq_cst);
  }
}

}  // namespace detail

/// Which strategy is in force in this process; decides if nobody has. Never `undecided`.
inline asymmetric_strategy asymmetric_fence_strategy() noexcept {
  const auto now = detail::process_strategy.load(std::memory_order_relaxed);
  if (now != asymmetric_strategy::undecided) return now;
  return detail::decide(detail::process_strategy, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED,
                        MEMBARRIER_CMD_PRIVATE_EXPEDITED);
}

/// The light side; see the top of the file. `order` is P1202's: relaxed is no fence at all, and
/// every other order is treated as seq_cst, which costs no more.
[[gnu::always_inline]] inline void asymmetric_thread_fence_light(
    std::memory_order order = std::memory_order_seq_cst) noexcept {
  if (order != std::memory_order_relaxed) detail::light(detail::process_strategy);
}

/// The heavy side; see the top of the file. Reaches the threads of this process. Cannot fail: where
/// membarrier stops working, it takes a second once and full fences from then on.
inline void asymmetric_thread_fence_heavy(
    std::memory_order order = std::memory_order_seq_cst) noexcept {
  if (order == std::memory_order_relaxed) return;
  if (asymmetric_fence_strategy() != asymmetric_strategy::full_fences) {
    detail::barrier(detail::process_strategy, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED,
                    MEMBARRIER_CMD_PRIVATE_EXPEDITED);
  } else {
    // seq_cst: pairs with the same fence in detail::light(). Proof: full_fences.
    std::atomic_thread_fence(std::memory_order_seq_cst);
  }
}

// Between processes. A heavy fence reaches the processes that have enrolled; a light fence counts
// on being reached only where its own process has, and is a full fence elsewhere. So a process may
// join at any time, and one that cannot enrol pays itself. What remains is a process that others
// rely on to interrupt them and that cannot: its heavy fence says so by its result.

/// As asymmetric_fence_strategy(), for the fences between processes.
inline asymmetric_strategy interprocess_asymmetric_fence_strategy() noexcept {
  const auto now = detail::interprocess_strategy.load(std::memory_order_relaxed);
  if (now != asymmetric_strategy::undecided) return now;
  return detail::decide(detail::interprocess_strategy, MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED,
                        MEMBARRIER_CMD_GLOBAL_EXPEDITED);
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
  if (order != std::memory_order_relaxed) detail::light(detail::interprocess_strategy);
}

/// The heavy side between processes. False: this process cannot interrupt the others, so that only
/// those whose light fences are full ones were reached. Who relies on it must then sleep for
/// bounded times and look again.
[[nodiscard]] inline bool interprocess_asymmetric_thread_fence_heavy(
    std::memory_order order = std::memory_order_seq_cst) noexcept {
  if (order == std::memory_order_relaxed) return true;
  if (interprocess_asymmetric_fence_strategy() != asymmetric_strategy::full_fences) {
    return detail::barrier(detail::interprocess_strategy, MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED,
                           MEMBARRIER_CMD_GLOBAL_EXPEDITED);
  }
  // seq_cst: reaches those who had to do the same. Proof:
  // full_fences[interprocess].
  std::atomic_thread_fence(std::memory_order_seq_cst);
  return false;
}

namespace detail {
/// Decides before main(): registering is cheap while there is one thread, and takes milliseconds
/// when there are several.
inline const asymmetric_strategy process_decided_early = asymmetric_fence_strategy();
}  // namespace detail

}  // namespace fencepost
