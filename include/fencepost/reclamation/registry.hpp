// SPDX-License-Identifier: MIT
//
// A list of what threads publish for others to read: it only grows, so that it is walked without
// protection, and each entry has one owner at a time. There are as many entries as were owned at
// one time, and they are never freed.
#pragma once

#include <atomic>
#include <cstddef>

#include "fencepost/detail/ordered_atomic.hpp"

namespace fencepost::reclamation {

/// The part of an entry by which it is in the list. Entry is the class that derives from it.
template <class Entry>
class registered {
 public:
  std::atomic<bool> is_owned{true};
  Entry* next = nullptr;  // does not change once the entry is in the list
  // The owner, or the thread that it belongs to. Legal to be a thread that is gone.
  const void* thread = nullptr;
};

/// The list; constinit, and never destroyed in effect.
template <class Entry>
class registry {
 public:
  /// The first entry; `next` leads to the others.
  [[nodiscard]] Entry* all() const noexcept {
    // acquire: pairs with made(): `next` and the initial values of the entries.
    // Proof: hazard_pointer.no_access_after_reclamation.
    return first_.load(std::memory_order_acquire);
  }

  /// How many entries there are.
  [[nodiscard]] std::size_t count() const noexcept {
    // relaxed: who has seen what an entry says of its owner sees that it is counted.
    return count_.load(std::memory_order_relaxed);
  }

  /// An entry for a new owner in that thread: one that was given back, or a new one. Throws
  /// std::bad_alloc.
  Entry& take(const void* thread) {
    Entry* one = found();
    if (one == nullptr) one = made();
    one->thread = thread;
    return *one;
  }

  /// Gives an entry to whoever takes the next.
  static void give_back(Entry& one) noexcept {
    // release: what the next owner publishes must not be overwritten by what this one did before.
    // Pairs with found(). Proof: hazard_pointer.slot_is_passed_on.
    one.is_owned.store(false, std::memory_order_release);
  }

  /// In the child of fork(): gives back the entries of all threads but one, each after it was
  /// passed to `forget`.
  template <class Forget>
  void keep_only(const void* thread, Forget forget) noexcept {
    for (Entry* one = all(); one != nullptr; one = one->next) {
      // relaxed: there is one thread.
      if (!one->is_owned.load(std::memory_order_relaxed) || one->thread == thread) continue;
      forget(*one);
      one->is_owned.store(false, std::memory_order_relaxed);
    }
  }

 private:
  Entry* found() noexcept {
    for (Entry* one = all(); one != nullptr; one = one->next) {
      // relaxed: a guess; the exchange decides.
      // acquire: pairs with give_back().
      // Proof: hazard_pointer.slot_is_passed_on.
      if (!one->is_owned.load(std::memory_order_relaxed) &&
          !one->is_owned.exchange(true, std::memory_order_acquire)) {
        return one;
      }
    }
    return nullptr;
  }

  Entry* made() {
    auto* const one = new Entry;
    one->next = first_.load(std::memory_order_relaxed);
    // release: pairs with all(). That a reader of the list does not overlook the entry is the
    // fences' doing, as it is for what the entry says.
    // Proof: hazard_pointer.no_access_after_reclamation.
    while (!first_.compare_exchange_weak(one->next, one, std::memory_order_release,
                                         std::memory_order_relaxed)) {
    }
    count_.fetch_add(1, std::memory_order_relaxed);
    return one;
  }

  detail::ordered_atomic<Entry*> first_{nullptr};
  std::atomic<std::size_t> count_{0};
};

}  // namespace fencepost::reclamation
