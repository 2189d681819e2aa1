// SPDX-License-Identifier: MIT
//
// Where hazard pointers are published: a list of slots that only grows.
//
// A slot has one owner, the hazard_pointer object that may write it, or a thread that keeps it for
// the next one it makes. Who reclaims reads them all. Slots are never freed, so the list is walked
// without protection; there are as many as there were hazard pointers and kept slots at one time.
//
// A thread keeps a few slots, so that making a hazard pointer is no search, and gives them back
// when it exits. In the child of fork() the slots of all threads but the one that forked are free.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "fencepost/instrumentation.hpp"
#include "fencepost/reclamation/retired.hpp"

namespace fencepost::hazard {

/// Alone on its cache line: its owner writes it at every step of a walk.
struct alignas(64) slot {
  // Written by the owner. Legal to protect what is not retired, or gone; illegal to protect nothing
  // while the owner accesses what others may retire.
  std::atomic<const reclamation::retired*> protects{nullptr};
  std::atomic<bool> is_owned{true};
  slot* next = nullptr;  // does not change once the slot is in the list
  // The thread that made the owner, or moved it last. Legal to be a thread that is gone.
  const void* thread = nullptr;
  // Of which owner the slot is: goes up when fork() takes it from one who is not there any more.
  std::uint32_t lease = 0;
};

// One list for the whole program, also where its parts hide their symbols.
[[gnu::visibility("default")]] inline constinit std::atomic<slot*> first_slot{nullptr};
[[gnu::visibility("default")]] inline constinit std::atomic<std::size_t> slot_count{0};

inline slot* all_slots() noexcept {
  // acquire: pairs with made(): `next` and the initial values of the slots.
  // Proof: no_access_after_reclamation.
  return first_slot.load(std::memory_order_acquire);
}

/// Gives a slot that protects nothing to whoever finds it.
inline void give_back(slot& one) noexcept {
  // release: what the next owner protects must not be overwritten by what this one did before.
  // Pairs with found(). Proof: slot_is_passed_on.
  one.is_owned.store(false, std::memory_order_release);
}

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
    while (count != 0) give_back(*kept[--count]);
  }
};

[[gnu::visibility("default")]] inline thread_local constinit thread_state self;

/// Keeps a slot that protects nothing for this thread's next hazard pointer.
inline void keep(slot& one) noexcept {
  if (self.is_leaving || self.count == thread_state::most_kept) return give_back(one);
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

/// A slot that was given back; null if there is none.
inline slot* found() noexcept {
  for (slot* one = all_slots(); one != nullptr; one = one->next) {
    // relaxed: a guess; the exchange decides.
    // acquire: pairs with give_back(). Proof: slot_is_passed_on.
    if (!one->is_owned.load(std::memory_order_relaxed) &&
        !one->is_owned.exchange(true, std::memory_order_acquire)) {
      return one;
    }
  }
  return nullptr;
}

/// A new slot. Throws std::bad_alloc.
inline slot* made() {
  auto* const one = new slot;
  one->next = first_slot.load(std::memory_order_relaxed);
  // release: pairs with all_slots(). That who reclaims does not overlook the slot is the fences'
  // doing, as it is for what the slot protects. Proof: no_access_after_reclamation.
  while (!first_slot.compare_exchange_weak(one->next, one, std::memory_order_release,
                                           std::memory_order_relaxed)) {
  }
  // relaxed: a figure that the bound on garbage follows.
  slot_count.fetch_add(1, std::memory_order_relaxed);
  return one;
}

/// A slot that protects nothing, for a new owner. Throws std::bad_alloc.
inline slot& take() {
  if (self.count != 0) return *self.kept[--self.count];
  slot* one = found();
  if (one == nullptr) one = made();
  one->thread = &self;
  return *one;
}

/// In the child of fork(): frees the slots of threads that are not in it. Their owners, should the
/// child come across one, are empty.
inline void free_slots_of_others() noexcept {
  for (slot* one = all_slots(); one != nullptr; one = one->next) {
    // relaxed: there is one thread.
    if (!one->is_owned.load(std::memory_order_relaxed) || one->thread == &self) continue;
    ++one->lease;
    one->protects.store(nullptr, std::memory_order_relaxed);
    one->is_owned.store(false, std::memory_order_relaxed);
  }
}

// The checker has no fork().
[[gnu::visibility("default")]] inline const int fork_handler =
    instrumentation::checking ? 0 : ::pthread_atfork(nullptr, nullptr, free_slots_of_others);

}  // namespace fencepost::hazard
