// SPDX-License-Identifier: MIT
//
// Where hazard pointers are published. A slot is owned by the hazard_pointer object that may write
// it, or by a thread that keeps it for the next one it makes; who reclaims reads them all.
//
// A thread keeps a few slots, so that making a hazard pointer is no search, and gives them back
// when it exits. In the child of fork() the slots of all threads but the one that forked are free.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "fencepost/instrumentation.hpp"
#include "fencepost/reclamation/registry.hpp"
#include "fencepost/reclamation/retired.hpp"

namespace fencepost::hazard {

/// Alone on its cache line: its owner writes it at every step of a walk.
struct alignas(64) slot : reclamation::registered<slot> {
  // Written by the owner. Legal to protect what is not retired, or gone; illegal to protect nothing
  // while the owner accesses what others may retire.
  std::atomic<const reclamation::retired*> protects{nullptr};
  // Of which owner the slot is: goes up when fork() takes it from one who is not there any more.
  std::uint32_t lease = 0;
};

// One list for the whole program, also where its parts hide their symbols.
[[gnu::visibility("default")]] inline constinit reclamation::registry<slot> slots;

/// What each thread has of its own. It is never destroyed, and may be used as long as the thread
/// runs anything.
struct thread_state {
  static constexpr std::size_t most_kept = 8;
  slot* kept[most_kept] = {};
  std::size_t count = 0;
  bool is_leaving = false;        // its slots have been given back, and it keeps no more
  bool gives_back_later = false;  // they will be, when it exits
  bool is_reclaiming = false;     // deleters of this thread are on the stack

  void leave() noexcept {
    is_leaving = true;
    while (count != 0) slots.give_back(*kept[--count]);
  }
};

[[gnu::visibility("default")]] inline thread_local constinit thread_state self;

/// Keeps a slot that protects nothing for this thread's next hazard pointer.
inline void keep(slot& one) noexcept {
  if (self.is_leaving || self.count == thread_state::most_kept) return slots.give_back(one);
  if (!self.gives_back_later) {
    struct leaver {
      ~leaver() { self.leave(); }
    };
    static thread_local const leaver at_exit;
    static_cast<void>(&at_exit);
    self.gives_back_later = true;
  }
  one.thread = &self;
  self.kept[self.count++] = &one;
}

/// A slot that protects nothing, for a new owner. Throws std::bad_alloc.
inline slot& take() { return self.count != 0 ? *self.kept[--self.count] : slots.take(&self); }

/// In the child of fork(). The owners of the other threads' slots, should the child come across
/// one, are empty.
inline void free_slots_of_others() noexcept {
  slots.keep_only(&self, [](slot& one) {
    ++one.lease;
    one.protects.store(nullptr, std::memory_order_relaxed);
  });
}

// The checker has no fork().
[[gnu::visibility("default")]] inline const int fork_handler =
    instrumentation::checking ? 0 : ::pthread_atfork(nullptr, nullptr, free_slots_of_others);

}  // namespace fencepost::hazard
