// SPDX-License-Identifier: MIT
//
// What becomes of retired objects: they are gathered until there are enough, and those that no slot
// protects are reclaimed. Source: Michael, "Hazard Pointers: Safe Memory Reclamation for Lock-Free
// Objects" (IEEE TPDS 15, 2004), Scan(), on one list instead of one a thread.
//
// counted_: a retirement adds one after its object is on the stack; who reclaims takes the whole
// number and then the whole stack. Legal to be too high for a moment; illegal to be too low for
// good: below the threshold nobody need look at the stack.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "fencepost/asymmetric_fence.hpp"
#include "fencepost/detail/ordered_atomic.hpp"
#include "fencepost/hazard_pointer/slots.hpp"
#include "fencepost/reclamation/retired.hpp"

namespace fencepost::hazard {

/// The objects that are to be reclaimed, hashed by their addresses, so that each slot is looked up
/// in a few steps and nothing is allocated.
class batch {
 public:
  explicit batch(reclamation::retired* all) noexcept {
    while (all != nullptr) {
      reclamation::retired* const one = std::exchange(all, all->next_retired);
      put_in_front(chains_[chain_of(one)], one);
    }
  }

  /// Takes out the object, if it is one of these.
  reclamation::retired* take(const reclamation::retired* wanted) noexcept {
    reclamation::retired** place = &chains_[chain_of(wanted)];
    while (*place != nullptr && *place != wanted) place = &(*place)->next_retired;
    return *place == nullptr ? nullptr : std::exchange(*place, (*place)->next_retired);
  }

  /// Reclaims those that are left and says how many there were.
  std::size_t reclaim() noexcept {
    std::size_t count = 0;
    for (reclamation::retired* one : chains_) {
      for (; one != nullptr; ++count) {
        reclamation::retired* const gone = std::exchange(one, one->next_retired);
        gone->end_retired(gone);
      }
    }
    return count;
  }

  static void put_in_front(reclamation::retired*& list, reclamation::retired* one) noexcept {
    one->next_retired = std::exchange(list, one);
  }

 private:
  static constexpr unsigned bits = 7;

  static std::size_t chain_of(const reclamation::retired* object) noexcept {
    // Fibonacci hashing: Knuth, The Art of Computer Programming, volume 3, section 6.4.
    const auto address = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(object));
    return static_cast<std::size_t>((address >> 4) * 0x9E3779B97F4A7C15U >> (64 - bits));
  }

  reclamation::retired* chains_[std::size_t{1} << bits] = {};
};

class garbage {
 public:
  /// Adds an object, and reclaims what can be when there are enough of them.
  void retire(reclamation::retired& object) noexcept {
    stack_.push(&object, &object);
    // release: pairs with claim(), so that what is counted is on the stack.
    // Proof: bounded_garbage.
    const std::size_t now = counted_.fetch_add(1, std::memory_order_release) + 1;
    if (now >= threshold() && !self.is_reclaiming) reclaim_enough();
  }

  /// Reclaims what can be until nothing more can.
  void reclaim_all() noexcept {
    if (self.is_reclaiming) return;
    self.is_reclaiming = true;
    do {
      // acquire: as in claim(). Proof: bounded_garbage[cleaned].
      counted_.exchange(0, std::memory_order_acquire);
    } while (reclaim_once() != 0);
    self.is_reclaiming = false;
  }

  /// How many objects make it worth the while. Twice the slots, so that each time at least half of
  /// them can be reclaimed.
  [[nodiscard]] std::size_t threshold() const noexcept {
    // relaxed: a figure that nothing else depends on.
    return std::max(limit_.load(std::memory_order_relaxed), 2 * slots.count());
  }

  void set_limit(std::size_t objects) noexcept {
    limit_.store(std::max<std::size_t>(objects, 1), std::memory_order_relaxed);
  }

 private:
  /// Takes upon itself the objects that are counted, if there are enough of them.
  bool claim() noexcept {
    std::size_t seen = counted_.load(std::memory_order_relaxed);
    while (seen >= threshold()) {
      // acquire: pairs with retire() and with what survives. Proof: bounded_garbage[both].
      if (counted_.compare_exchange_weak(seen, 0, std::memory_order_acquire,
                                         std::memory_order_relaxed)) {
        return true;
      }
    }
    return false;
  }

  [[gnu::noinline]] void reclaim_enough() noexcept {
    // What deleters retire is reclaimed by the next turn, and not on top of them.
    self.is_reclaiming = true;
    while (claim()) reclaim_once();
    self.is_reclaiming = false;
  }

  /// Reclaims what is retired and not protected; says how many objects those were.
  [[gnu::noinline]] std::size_t reclaim_once() noexcept {
    reclamation::retired* const all = stack_.take_all();
    if (all == nullptr) return 0;
    batch objects(all);
    // heavy: the slots are read after the objects were unlinked. A reader that was not seen in its
    // slot finds them unlinked. Pairs with the light fence in hazard_pointer::try_protect().
    // Proof: no_access_after_reclamation.
    asymmetric_thread_fence_heavy();
    reclamation::retired* survivors = nullptr;
    reclamation::retired* last = nullptr;
    std::size_t surviving = 0;
    for (slot* one = slots.all(); one != nullptr; one = one->next) {
      // acquire: pairs with the store that ended a protection; its accesses come before the
      // deleter. Proof: accesses_precede_reclamation.
      const auto* const wanted = one->protects.load(std::memory_order_acquire);
      if (wanted == nullptr) continue;
      reclamation::retired* const survivor = objects.take(wanted);
      if (survivor == nullptr) continue;
      if (survivors == nullptr) last = survivor;
      batch::put_in_front(survivors, survivor);
      ++surviving;
    }
    if (survivors != nullptr) {
      stack_.push(survivors, last);
      // release: as in retire(). Proof: survivors_are_counted.
      counted_.fetch_add(surviving, std::memory_order_release);
    }
    return objects.reclaim();
  }

  reclamation::retired_stack stack_;
  detail::ordered_atomic<std::size_t> counted_{0};
  alignas(64) std::atomic<std::size_t> limit_{1000};
};

// One for the whole program, also where its parts hide their symbols. Never destroyed: objects may
// be retired as long as anything runs.
[[gnu::visibility("default")]] inline constinit garbage process_garbage;

}  // namespace fencepost::hazard
