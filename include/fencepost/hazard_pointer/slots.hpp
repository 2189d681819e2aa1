// SPDX-License-Identifier: MIT
//
// Where hazard pointers are published. A slot is owned by the hazard_pointer object that may write
// it, or by a thread that keeps it for the next one it makes; who reclaims reads them all.
//
// A thread keeps a few slots, so that making a hazard pointer is no search, and gives them back
// when it exits, after the destructors of its thread-local objects, in that of a key of
// pthread_key_create(); from then on it keeps none. Destructors of other keys may have a thread's
// first hazard pointers: the slots are given back in the next round of destructors. There are
// PTHREAD_DESTRUCTOR_ITERATIONS rounds; what is kept first in the last one may be lost to others.
// In the child of fork() the slots of all threads but the one that forked are free.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

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

/// By which the system is asked to call leave(); none: it has no more keys.
inline const std::optional<pthread_key_t>& exit_key() noexcept {
  static const std::optional<pthread_key_t> key = []() noexcept -> std::optional<pthread_key_t> {
    pthread_key_t made{};
    const auto leave = [](void*) noexcept { self.leave(); };
    if (::pthread_key_create(&made, leave) != 0) return std::nullopt;
    return made;
  }();
  return key;
}

/// Sees to it that the slots that this thread keeps are given back when it exits; whether it could.
[[gnu::noinline, gnu::cold]] inline bool gives_back_when_it_exits() noexcept {
  const auto& key = exit_key();
  self.gives_back_later = key && ::pthread_setspecific(*key, &self) == 0;
  return self.gives_back_later;
}

/// Keeps a slot that protects nothing for this thread's next hazard pointer.
inline void keep(slot& one) noexcept {
  if (self.is_leaving || self.count == thread_state::most_kept) return slots.give_back(one);
  if (!self.gives_back_later && !gives_back_when_it_exits()) return slots.give_back(one);
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

/// Before main(): whoever gets there first would otherwise do it among threads.
inline int prepare() noexcept {
  static_cast<void>(exit_key());
  // The checker has no fork().
  if constexpr (instrumentation::checking) return 0;
  return ::pthread_atfork(nullptr, nullptr, free_slots_of_others);
}
[[gnu::visibility("default")]] inline const int is_prepared = prepare();

}  // namespace fencepost::hazard
