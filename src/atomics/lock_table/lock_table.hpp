// SPDX-License-Identifier: MIT
//
// The locks of objects that no instruction serves.
//
// There are 64, each with a cache line of its own. An object's locks are those of all lines of 64
// bytes that it touches, numbered by bits 6 to 11 of their address alone: those bits are the same
// wherever a page is mapped, so an object in memory that is mapped twice has the same locks by
// either address. Objects that overlap share a line, hence a lock. Locks are taken in the order of
// their numbers, whichever the order of the lines, so two threads cannot wait for each other.
//
// Each line has a version, which is odd while somebody writes an object there. A load of an object
// within one line or two reads their versions, the object, and the versions again: if all are the
// same and even, no writer came between, and the load has written nothing, not even a lock. After a
// few attempts it takes the locks. (It is of one moment also where the lines are two: whoever wrote
// in both had both versions odd before it began, and even after it ended.)
//
// Memory order: a lock is taken with acquire and released with release, whatever the caller asked
// for. That makes the objects here sequentially consistent among themselves; beside lock-free
// objects a seq_cst operation needs a fence on both sides, where the locks are not fences already.
//
// fork(): the C library, where there is one, is asked to call before and after. Before, the forking
// thread takes all locks, so nobody is in the middle of an object; after, both processes release
// them. Signals stay blocked meanwhile, for a handler would wait for its own thread. A fork that
// the C library does not see (_Fork, clone) leaves the child the locks that others held.
//
// Signals: an operation on an object with locks, in a handler that interrupted one on an object
// with the same lock, would wait for its own thread; and with another lock, for a thread whose
// handler waits for this one. C and C++ allow handlers nothing but lock-free objects. Built with
// FENCEPOST_ATOMIC_BLOCK_SIGNALS, the library blocks all signals while it holds a lock, at the
// price of two system calls, and handlers may use every object.
#pragma once

#include <atomic>

#include "../order.hpp"
#include "../types.hpp"
#include "injection.hpp"
#include "signals.hpp"
#include "statistics.hpp"
#include FENCEPOST_ATOMIC_LOCK

namespace fencepost::atomics {

inline constexpr size_t line_size = 64;
inline constexpr unsigned lines = 64;

struct alignas(line_size) guarded_line {
  // Zero is unlocked: the table needs no initialisation, and serves before any constructor has run.
  class lock lock;
  std::atomic<std::uint64_t> version{0};
};
static_assert(sizeof(guarded_line) == line_size);

struct table_type {
  guarded_line line[lines];
};
// In the archive every part refers to the same; hidden, so that two shared objects are not mixed.
extern table_type table;

/// How many lines an object touches.
constexpr size_t lines_of(uintptr_t address, size_t size) noexcept {
  return (address % line_size + size + line_size - 1) / line_size;
}

inline guarded_line& line_of(uintptr_t address) noexcept {
  return table.line[address / line_size % lines];
}

/// The line of an object that lies within one, as nearly all do.
class one_line {
 public:
  explicit one_line(uintptr_t address) noexcept : line_(line_of(address)) {}

  template <class Action>
  [[gnu::always_inline]] void for_each(Action action) const noexcept {
    action(line_);
  }

 private:
  guarded_line& line_;
};

/// The lines of an object that touches two, in the order of their numbers.
class two_lines {
 public:
  explicit two_lines(uintptr_t address) noexcept {
    guarded_line* const one = &line_of(address);
    guarded_line* const next = &line_of(address + line_size);
    // Behind the last lock comes the first, which is taken first.
    first_ = one < next ? one : next;
    second_ = one < next ? next : one;
  }

  template <class Action>
  [[gnu::always_inline]] void for_each(Action action) const noexcept {
    action(*first_);
    action(*second_);
  }

 private:
  guarded_line* first_;
  guarded_line* second_;
};

/// The lines of any object, in the order of their numbers.
class many_lines {
 public:
  many_lines(uintptr_t address, size_t size) noexcept {
    first_ = static_cast<unsigned>(address / line_size) % lines;
    const size_t touched = lines_of(address, size);
    count_ = touched < lines ? static_cast<unsigned>(touched) : lines;
  }

  template <class Action>
  [[gnu::always_inline]] void for_each(Action action) const noexcept {
    const unsigned end = first_ + count_;
    // Beyond the last lock come those at the beginning of the table, which are taken first.
    for (unsigned n = lines; n < end; ++n) action(table.line[n - lines]);
    for (unsigned n = first_; n < (end < lines ? end : lines); ++n) action(table.line[n]);
  }

 private:
  unsigned first_;
  unsigned count_;
};

/// The locks of one object, held from construction to destruction.
template <class Lines>
class held {
 public:
  [[gnu::always_inline]] explicit held(const Lines& touched) noexcept : lines_(touched) {
    lines_.for_each([](guarded_line& line) { line.lock.acquire(); });
    injection_point();
  }
  [[gnu::always_inline]] ~held() {
    lines_.for_each([](guarded_line& line) { line.lock.release(); });
  }
  held(const held&) = delete;
  held& operator=(const held&) = delete;

  /// Around the writes to the object: readers without a lock find out.
  [[gnu::always_inline]] void begin_writing() const noexcept {
    lines_.for_each([](guarded_line& line) {
      // relaxed: holders of the lock alone write it. The fence below puts it before what follows.
      line.version.store(line.version.load(std::memory_order_relaxed) + 1,
                         std::memory_order_relaxed);
    });
    // release: who reads what follows reads this version or a later one. Proof: no_torn_load.
    std::atomic_thread_fence(std::memory_order_release);
  }
  [[gnu::always_inline]] void end_writing() const noexcept {
    lines_.for_each([](guarded_line& line) {
      // release: who reads this version sees the object. Pairs with the acquire in read_unlocked().
      // Proof: no_torn_load.
      line.version.store(line.version.load(std::memory_order_relaxed) + 1,
                         std::memory_order_release);
    });
  }

 private:
  [[no_unique_address]] signals_blocked blocked_;
  Lines lines_;
};

/// Calls `read` once or more, and returns whether the last time it read an object that nobody was
/// writing in any of the lines.
template <class Lines, class Read>
[[gnu::always_inline]] inline bool read_unlocked(const Lines& touched, uintptr_t object,
                                                 Read read) noexcept {
  constexpr unsigned attempts = 3;
  for (unsigned n = 0; n != attempts; ++n) {
    // Versions only grow: if the sum is what it was, each of them is.
    std::uint64_t before = 0;
    std::uint64_t odd = 0;
    touched.for_each([&](const guarded_line& line) noexcept {
      // acquire: sees what the writer of this version wrote. Pairs with end_writing().
      // Proof: no_torn_load.
      const std::uint64_t version = line.version.load(std::memory_order_acquire);
      before += version;
      odd |= version % 2;
    });
    if (odd != 0) return false;
    read();
    // acquire: where read() has seen something newer, the version below is newer. Pairs with the
    // fence in begin_writing(). Proof: no_torn_load.
    std::atomic_thread_fence(std::memory_order_acquire);
    std::uint64_t after = 0;
    touched.for_each([&](const guarded_line& line) noexcept {
      after += line.version.load(std::memory_order_relaxed);
    });
    if (after == before) {
      count_load(object, n);
      return true;
    }
  }
  return false;
}

/// On either side of a seq_cst operation that takes locks or none.
[[gnu::always_inline]] inline void fence_before(int order) noexcept {
#if defined(__x86_64__)
  (void)order;  // locks are taken with a full barrier, and loads need none
#else
  // Proof: none; test_instructions.py looks for the fences that each processor needs.
  if (order == __ATOMIC_SEQ_CST) std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
}
[[gnu::always_inline]] inline void fence_after(int order) noexcept {
#if defined(__x86_64__)
  constexpr bool needs_fence = !lock::unlocks_with_barrier;
#else
  constexpr bool needs_fence = true;
#endif
  if (needs_fence && order == __ATOMIC_SEQ_CST) {
    // Proof: none; as above.
    std::atomic_thread_fence(std::memory_order_seq_cst);
  }
}
/// A load ends with a read-modify-write of a lock or with none.
[[gnu::always_inline]] inline void fence_after_load(int order) noexcept {
#if defined(__x86_64__)
  (void)order;
#else
  // Proof: none; as above.
  if (order == __ATOMIC_SEQ_CST) std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
}

}  // namespace fencepost::atomics
