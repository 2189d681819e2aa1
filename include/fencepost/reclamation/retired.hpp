// SPDX-License-Identifier: MIT
//
// Objects that nobody can find any more and somebody may still look at.
//
// They are linked through themselves, so retiring allocates nothing and cannot fail. All threads
// push onto one stack, and whoever reclaims takes the whole of it: no object waits for the thread
// that retired it, which may sleep or be gone. Taking all at once has no ABA problem, for nobody
// looks into an object that is on the stack.
#pragma once

#include <atomic>

#include "fencepost/detail/ordered_atomic.hpp"

namespace fencepost::reclamation {

/// The part of an object by which it is retired. Copies of the object are not retired.
class retired {
 public:
  retired() noexcept = default;
  retired(const retired&) noexcept : retired() {}
  retired& operator=(const retired&) noexcept { return *this; }
  ~retired() = default;

  // Bases of what users define have names that users do not.

  /// Ends the object; null until it is retired.
  void (*end_retired)(retired*) noexcept = nullptr;
  retired* next_retired = nullptr;
};

class retired_stack {
 public:
  constexpr retired_stack() noexcept = default;
  retired_stack(const retired_stack&) = delete;
  retired_stack& operator=(const retired_stack&) = delete;
  ~retired_stack() = default;

  /// Pushes the objects from first to last, which are linked. Lock-free.
  void push(retired* first, retired* last) noexcept {
    retired* top = top_.load(std::memory_order_relaxed);
    do {
      last->next_retired = top;
      // release: pairs with take_all(), which reads the links and ends the objects.
      // Proofs: hazard_pointer.retirement_is_handed_over, rcu.everything_is_reclaimed.
    } while (!top_.compare_exchange_weak(top, first, std::memory_order_release,
                                         std::memory_order_relaxed));
  }

  /// Whether nothing is on it, but for what is pushed at the same time.
  [[nodiscard]] bool empty() const noexcept {
    return top_.load(std::memory_order_relaxed) == nullptr;
  }

  /// Takes all objects; null if there are none. Wait-free.
  retired* take_all() noexcept {
    // relaxed: what was pushed before this call, in the order of happens-before, is seen.
    if (empty()) return nullptr;
    // acquire: pairs with push().
    // Proofs: hazard_pointer.retirement_is_handed_over, rcu.everything_is_reclaimed.
    return top_.exchange(nullptr, std::memory_order_acquire);
  }

 private:
  detail::ordered_atomic<retired*> top_{nullptr};
};

}  // namespace fencepost::reclamation
