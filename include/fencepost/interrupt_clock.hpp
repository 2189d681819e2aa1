// SPDX-License-Identifier: MIT
//
// The interrupt clock: when each processor was last interrupted, or switched threads.
//
// An interrupt, or a switch, stands between what a thread did before it and what is done on that
// processor after it, like a full fence that nobody asked for. Who knows that every processor has
// had one since a given time needs no barrier of its own: the system had to do it anyway.
//
// fencepost-barrierd (docs/library/barrierd.md) has the kernel write these times into memory that
// every process may map and read, and nobody may write. This is the reader. No system call, no
// message to the daemon, no interrupt that would not have come:
//
//     other.store(...);                                        // what others are to see
//     const std::uint64_t since = interrupt_clock::now();      // a full fence, and the time
//     ...
//     if (const auto* clock = interrupt_clock::process();
//         clock != nullptr && clock->all_passed(since, sched_getcpu(), nullptr)) {
//       // Whatever ran on any processor before `since` is visible here; whatever runs there from
//       // now on sees `other`.
//     }
//
// What others do with `asymmetric_thread_fence_light()` around it is then ordered as if this thread
// had executed the heavy fence. It takes up to a tick of the scheduler, 1 to 10 milliseconds, and
// may take for ever: a clock can stop. So a waiter has a deadline, behind which it does something
// else; asymmetric_fence.hpp has that.
//
// What is guaranteed. If all_passed(t, ...) is true, then every processor executed a full fence
// later than t, or executed no thread at some time later than t. Wrong times cannot come from a
// clock that was stopped, restarted, detached or missed an event: a time is written by the program
// that has just executed the fence, or that has just seen the processor idle or switch threads, and
// by nobody else. What stands still only says less. The essay in
// src/barrierd/kernel/interrupt_clock.bpf.c has the argument.
//
// How the two clocks compare. Times are the kernel's CLOCK_MONOTONIC, read by its own fast reader,
// which may run ahead of clock_gettime() while the rate is adjusted: by the change of the rate
// times the length of the adjustment, much less than `slack`, by which a stamp must be later.
//
// Two clocks. Beside the time there is a virtual one, a number that the kernel's program advances
// with its looks at all processors. Who has no use for nanoseconds reads it in place of the
// clock, by a load, and compares it with virtual stamps; it needs no slack, and takes one such look
// longer.
//
// Waiting. Maps of the kernel are no place for futexes: sleep() has the daemon wake, where one
// runs, by other memory (interrupt_clock/wakeups.hpp). Elsewhere look again after a sleep.
//
// Trust: as much as /run/fencepost is trusted, which belongs to root. FENCEPOST_INTERRUPT_CLOCK in
// the environment names another map; programs that run with other rights than their caller's ignore
// it.
#pragma once

#include "fencepost/language.hpp"

#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "fencepost/detail/ordered_atomic.hpp"
#include "fencepost/instrumentation.hpp"
#include "fencepost/interrupt_clock/layout.h"
#include "fencepost/interrupt_clock/offline.hpp"
#include "fencepost/interrupt_clock/opening.hpp"
#include "fencepost/interrupt_clock/wakeups.hpp"

namespace fencepost {

/// A clock in mapped memory; there are only pointers to it, which stay valid for the process's
/// life.
class interrupt_clock {
 public:
  static constexpr const char* default_path = "/run/fencepost/interrupt_clock";
  /// A clock that has written nothing for so many nanoseconds is dead: whoever asks runs on a
  /// processor that is interrupted many times as often.
  static constexpr std::uint64_t dead_after = 100'000'000;
  /// Nanoseconds by which a stamp must be later: see above.
  static constexpr std::uint64_t slack = 20'000;
  /// Nanoseconds between two attempts to find a clock, where there was none.
  static constexpr std::uint64_t retry_after = 1'000'000'000;

  interrupt_clock(const interrupt_clock&) = delete;
  interrupt_clock& operator=(const interrupt_clock&) = delete;

  /// The process's clock; null: there is none, or none that is alive and can be believed. Mapped
  /// when it is first asked for. After a restart of the daemon it is another clock; the old one
  /// stays mapped, and dead.
  static const interrupt_clock* process() noexcept {
    // The checker plays the machine, and has no interrupts.
    if constexpr (instrumentation::checking) return nullptr;
    const std::uint64_t time = processors::monotonic_now();
    // acquire: with look_again(), which maps it. Proof: none; the writer is the kernel.
    const interrupt_clock* const known = process_clock.load(std::memory_order_acquire);
    return known != nullptr && known->alive(time) ? known : look_again(known, time);
  }

  /// Maps the clock that is pinned there, alive or not. Null: see `trouble`.
  static const interrupt_clock* open(const char* path, interrupt_clock_trouble& trouble) noexcept {
    const detail::clock_mapping mapping = detail::open_clock(path);
    trouble = mapping.trouble;
    return static_cast<const interrupt_clock*>(mapping.memory);
  }

  /// The clock in memory that is mapped already: for tests, and where the map came by a socket.
  static const interrupt_clock* at(const void* memory, std::size_t size,
                                   interrupt_clock_trouble& trouble) noexcept {
    trouble = interrupt_clock_trouble::malformed;
    if (size < detail::clock_size(1)) return nullptr;
    const auto* const header = static_cast<const fencepost_clock_header*>(memory);
    trouble = detail::judge(*header);
    if (trouble == interrupt_clock_trouble::none && size < detail::clock_size(header->slots)) {
      trouble = interrupt_clock_trouble::malformed;
    }
    if (trouble != interrupt_clock_trouble::none) return nullptr;
    return static_cast<const interrupt_clock*>(memory);
  }

  /// A full fence, and then the time: of what this thread wrote before, later stamps can be asked.
  static std::uint64_t now() noexcept {
    // seq_cst: the writes before are visible when the time is read; the C library's reader waits
    // for earlier instructions before it reads the processor's counter. Pairs with the exchange in
    // the BPF program. Proof: barrier_ticket.interrupts[real].
    std::atomic_thread_fence(std::memory_order_seq_cst);
    return processors::monotonic_now();
  }

  /// A full fence, and then the virtual time: of what this thread wrote before, virtual stamps that
  /// are later than that can be asked; of this clock, for each has a virtual time of its own.
  std::uint64_t virtual_now() const noexcept {
    // seq_cst: as in now(); the load below comes behind it. Proof:
    // barrier_ticket.interrupts[virtual].
    std::atomic_thread_fence(std::memory_order_seq_cst);
    return word(line(1).state.virtual_time);
  }

  /// Has every processor passed a full fence since virtual_now() was that? As all_passed(), but for
  /// processors that were switched off before the clock began: of these only the time is known.
  bool all_passed_virtually(std::uint64_t since, int own_cpu,
                            const cpu_set_t* subset) const noexcept {
    for (std::uint32_t cpu = 0; cpu < slots_count(); ++cpu) {
      if (matters(cpu, own_cpu, subset) && virtual_stamp(cpu) <= since) return false;
    }
    return true;
  }

  /// Sleeps until every processor seems to have passed `time`, or for as long at most; may return
  /// earlier, and does at once if `over()`. False: no daemon wakes here, and nothing was done.
  template <class Over>
  bool sleep(std::uint64_t time, std::chrono::nanoseconds longest, Over over) const noexcept {
    if constexpr (instrumentation::checking) return false;
    const interrupt_clock_wakeups* const wakeups = wakes();
    if (wakeups != nullptr) wakeups->sleep(time, longest, over);
    return wakeups != nullptr;
  }

  /// Those of this clock, if it is the process's; null: nobody wakes.
  const interrupt_clock_wakeups* wakes() const noexcept {
    if (process_clock.load(std::memory_order_relaxed) != this) return nullptr;
    // acquire: with look_again(), which maps them. Proof: none; the checker has no daemon.
    return process_wakeups.load(std::memory_order_acquire);
  }

  /// Is it being written to? `time`: of CLOCK_MONOTONIC, now. Times in the future are those of
  /// another clock than this process sees, as in a time namespace, and no sign of life.
  bool alive(std::uint64_t time) const noexcept {
    if (recent(heartbeat(), time)) return true;
    // The heart beats when somebody looks at all processors. Who runs where nobody does has stamps
    // of its own interrupts. (Who was just woken by a device, on a machine that slept for so long
    // till then, finds neither before its next tick, and a heavy fence interrupts nobody there.)
    for (std::uint32_t cpu = 0; cpu < slots_count(); ++cpu) {
      if (recent(stamp(cpu), time)) return true;
    }
    return false;
  }

  /// Has every processor passed a full fence later than `time`? `own_cpu`: one on which this thread
  /// has been since then, which it thereby has passed itself; -1: none is known. `subset`: those
  /// that matter, where all threads that matter are bound to them; null: all.
  ///
  /// Looks at one cache line a processor; where a processor's stamp has stood still, the kernel's
  /// list of processors that are on is read, at most once a millisecond.
  bool all_passed(std::uint64_t time, int own_cpu, const cpu_set_t* subset) const noexcept {
    const std::uint32_t slots = slots_count();
    for (std::uint32_t cpu = 0; cpu < slots; ++cpu) {
      if (matters(cpu, own_cpu, subset) && !passed(time, cpu)) return false;
    }
    return true;
  }

  // Of one processor: `cpu` is less than slots_count().

  /// Has that processor?
  bool passed(std::uint64_t time, std::uint32_t cpu) const noexcept {
    const std::uint64_t stamp = this->stamp(cpu);
    if (stamp > time && stamp - time > slack) return true;
    // Processors of the checker are always on.
    if constexpr (instrumentation::checking) return false;
    const std::uint64_t beat = heartbeat();
    return beat > stamp && beat - stamp > stands_still_after &&
           processors::offline.off_after(time, cpu);
  }

  /// The last time at which that processor had passed a full fence; 0: never seen.
  std::uint64_t stamp(std::uint32_t cpu) const noexcept {
    // acquire, in word(): what threads did on that processor before is visible behind this.
    return word(slot(cpu).stamp);
  }

  /// The same by the virtual clock.
  std::uint64_t virtual_stamp(std::uint32_t cpu) const noexcept {
    return word(slot(cpu).virtual_stamp);
  }

  std::uint32_t slots_count() const noexcept { return first_.header.slots; }
  const fencepost_clock_header& header() const noexcept { return first_.header; }
  std::uint64_t heartbeat() const noexcept { return word(line(1).state.heartbeat); }
  std::uint64_t virtual_time() const noexcept { return word(line(1).state.virtual_time); }
  /// How often the daemon was called to wake waiters.
  std::uint64_t calls() const noexcept { return word(line(1).state.calls); }

  /// Is some processor, or this one, nohz_full? It may go without any interrupt for as long as one
  /// thread has it to itself.
  bool tickless() const noexcept { return (first_.header.flags & fencepost_clock_tickless) != 0; }
  /// `cpu`: less than slots_count().
  bool tickless(std::uint32_t cpu) const noexcept {
    return (slot(cpu).flags & fencepost_clock_slot_tickless) != 0;
  }

  struct counts {
    std::uint64_t interrupts;
    std::uint64_t switches;
    std::uint64_t vouched;
  };
  /// `cpu`: less than slots_count().
  counts events(std::uint32_t cpu) const noexcept {
    const fencepost_clock_slot& its = slot(cpu);
    return {word(its.interrupts), word(its.switches), word(its.vouched)};
  }

 private:
  /// A stamp that is older than the last beat by more than this may be of a processor that is off.
  static constexpr std::uint64_t stands_still_after = 20'000'000;

  interrupt_clock() = default;

  /// The object is the memory itself: its first line, and the others behind it.
  const fencepost_clock_line& line(std::uint32_t index) const noexcept {
    return reinterpret_cast<const fencepost_clock_line*>(this)[index];
  }
  const fencepost_clock_slot& slot(std::uint32_t cpu) const noexcept {
    return line(fencepost_clock_first_slot + cpu).slot;
  }

  static bool matters(std::uint32_t cpu, int own_cpu, const cpu_set_t* subset) noexcept {
    if (own_cpu >= 0 && cpu == static_cast<std::uint32_t>(own_cpu)) return false;
    return subset == nullptr || cpu >= CPU_SETSIZE || CPU_ISSET(cpu, subset);
  }

  static bool recent(std::uint64_t written, std::uint64_t time) noexcept {
    // The caller may have been off its processor since it read the time.
    if (written > time) return written <= processors::monotonic_now() + slack;
    return time - written <= dead_after;
  }

  /// What the kernel writes. acquire: as said at stamp(). Proof: barrier_ticket.interrupts[real].
  static std::uint64_t word(const __UINT64_TYPE__& at) noexcept {
    return __atomic_load_n(&at, __ATOMIC_ACQUIRE);
  }

  [[gnu::noinline, gnu::cold]] static const interrupt_clock* look_again(
      const interrupt_clock* known, std::uint64_t time) noexcept {
    std::uint64_t next = next_look.load(std::memory_order_relaxed);
    // relaxed: nothing but the turn is handed over.
    if (time < next ||
        !next_look.compare_exchange_strong(next, time + retry_after, std::memory_order_relaxed,
                                           std::memory_order_relaxed)) {
      return nullptr;
    }
    const char* const chosen = ::secure_getenv("FENCEPOST_INTERRUPT_CLOCK");
    const char* const path = chosen != nullptr ? chosen : default_path;
    const detail::clock_mapping mapping = detail::open_clock(path);
    const auto* const found = static_cast<const interrupt_clock*>(mapping.memory);
    if (found == nullptr) return nullptr;
    // release: with process(). Proof: none; the writer is the kernel.
    if (found->alive(processors::monotonic_now()) &&
        process_clock.compare_exchange_strong(known, found, std::memory_order_release,
                                              std::memory_order_relaxed)) {
      const int before = errno;
      // release: with wakes(). Who comes before it sleeps on the words of an earlier clock, and not
      // for longer than it has chosen. Proof: none; as above.
      process_wakeups.store(interrupt_clock_wakeups::open(path), std::memory_order_release);
      errno = before;
      return found;
    }
    ::munmap(const_cast<void*>(mapping.memory), mapping.size);
    return nullptr;
  }

  [[gnu::visibility(
      "default")]] static inline constinit detail::ordered_atomic<const interrupt_clock*>
      process_clock{nullptr};
  [[gnu::visibility("default")]] static inline constinit std::atomic<const interrupt_clock_wakeups*>
      process_wakeups{nullptr};
  [[gnu::visibility("default")]] static inline constinit std::atomic<std::uint64_t> next_look{0};

  fencepost_clock_line first_;
};

}  // namespace fencepost
