// SPDX-License-Identifier: MIT
//
// Where threads say that they are in regions of RCU protection: a record a thread, with a word for
// each domain.
//
// A thread gets its record when it first enters a region and leaves it to another when it exits. In
// the child of fork() the records of all threads but the one that forked are free, and nobody is in
// a region but that one.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "fencepost/reclamation/registry.hpp"

namespace fencepost::rcu {

/// How many domains a process may have at a time, the default one among them.
inline constexpr std::size_t most_domains = 8;

// A word: how many regions of the domain the thread is in, in the low bits, and above them the
// period in which it entered the outermost. Legal to tell of a region that is over; illegal to tell
// of none, or of a later period, while the thread accesses what was reachable before that period.
inline constexpr std::uint64_t depth_mask = 0xffff;
inline constexpr std::uint64_t one_period = depth_mask + 1;

struct alignas(64) reader : reclamation::registered<reader> {
  constexpr reader() noexcept : reader(0) {}
  constexpr explicit reader(std::uint64_t all) noexcept
      : words{all, all, all, all, all, all, all, all} {}

  // All domains of a thread in one cache line, for it alone writes them.
  alignas(64) std::atomic<std::uint64_t> words[most_domains];

  /// Whether the thread is in a region of any domain. For the thread itself.
  [[nodiscard]] bool is_inside() const noexcept {
    for (const auto& word : words) {
      if ((word.load(std::memory_order_relaxed) & depth_mask) != 0) return true;
    }
    return false;
  }
};

// One list for the whole program, also where its parts hide their symbols.
[[gnu::visibility("default")]] inline constinit reclamation::registry<reader> readers;

// The record of a thread that has none. It is in no list and never written; its words tell of
// regions, so that only who comes upon an inner region need look whether this is it.
[[gnu::visibility("default")]] inline constinit reader nobody{depth_mask};

/// What each thread has of its own.
struct thread_state {
  reader* record = &nobody;
  // For the regions of destructors that run after the record has been left to others.
  reader* late = nullptr;
  bool is_leaving = false;

  void leave() noexcept {
    is_leaving = true;
    late = record;
    record = &nobody;
    leave_late();
  }

  void leave_late() noexcept {
    if (late == nullptr || late->is_inside()) return;
    readers.give_back(*late);
    late = nullptr;
  }
};

[[gnu::visibility("default")]] inline thread_local constinit thread_state self;

/// A record for a thread that has none: when it first enters a region, or does so while it exits.
[[gnu::noinline, gnu::cold]] inline reader& enrolled() {
  if (self.is_leaving) {
    if (self.late == nullptr) self.late = &readers.take(&self);
    return *self.late;
  }
  struct leaver {
    ~leaver() { self.leave(); }
  };
  static thread_local const leaver at_exit;
  static_cast<void>(&at_exit);
  self.record = &readers.take(&self);
  return *self.record;
}

}  // namespace fencepost::rcu
