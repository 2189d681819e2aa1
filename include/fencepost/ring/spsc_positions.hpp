// SPDX-License-Identifier: MIT
//
// The bookkeeping of a ring with one producer and one consumer, without its elements: who may use
// which place, who sleeps, and when it is over. spsc_ring puts elements to it.
//
// How it works. `pushed` counts the elements that were ever put in and is written by the producer
// alone, `popped` those taken out and is the consumer's. Each side remembers how far it may go by
// the last value that it saw of the other's counter, and looks again only when it has come to that
// limit: so a line of memory moves between the two processors once in a while, not with every
// element.
//
// Closing. The room of the consumer is shut, and the producer's limit set to zero, so that the next
// push looks again and learns of it. But the producer cannot count an element and see in the same
// step that nobody has closed the ring: that would be a locked instruction for each push. So a push
// that was on its way when close() was called publishes its element, and finds out then, for it
// looks whether somebody sleeps. What becomes of that element is decided by `end_`: either the
// producer records that it counts before the consumer has declared the end, and the consumer will
// find it; or the declaration was first, and the element is withdrawn.
//
// pushed: legal to be ahead of what the consumer may take only after the end was declared, by the
// elements that are about to be withdrawn. The consumer, having declared it, looks no more.
// producer's limit: legal to be less than popped + capacity, illegal to be more; zero for good once
// the ring is closed and a push or close() has returned.
// consumer's limit: legal to be less than pushed, illegal to be more.
// end_: late: the producer found the ring closed after it had published, and the end was not
// declared; at most one push does. declared: the consumer found the ring closed and empty.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "fencepost/detail/ordered_atomic.hpp"
#include "fencepost/ring/cells.hpp"
#include "fencepost/ring/status.hpp"
#include "fencepost/ring/waiting_room.hpp"

namespace fencepost::detail {

template <futex::scope Scope, ring_tuning Tuning>
class spsc_positions {
 public:
  /// Where the caller may go on, and how many places there are from there.
  struct places {
    ring_status status;
    std::size_t first = 0;
    std::size_t count = 0;
  };

  spsc_positions() noexcept = default;

  // ---- the producer's

  /// Free places: success, full or closed. `count` is at least 1, and at most `wanted`, which is at
  /// most `capacity`.
  /// The capacity by reference, for it is read where it is needed and not before.
  [[nodiscard]] places begin_push(const std::size_t& capacity, std::size_t wanted = 1) noexcept {
    // relaxed: nobody else writes it.
    const std::size_t next = producer_.pushed.load(std::memory_order_relaxed);
    // relaxed: the producer's own, but for the zero of close(), which speaks for itself.
    std::size_t limit = producer_.limit.load(std::memory_order_relaxed);
    if (next + wanted > limit) [[unlikely]] {
      // acquire: the consumer is done with the places that it gave back. Pairs with end_pop().
      // Proof: spsc_elements.
      limit = consumer_.popped.load(std::memory_order_acquire) + capacity;
      producer_.limit.store(limit, std::memory_order_relaxed);
      if constexpr (Tuning.blocking) {
        // Either this is seen by close(), whose zero then comes later, or the other way round.
        // Proof: spsc_closed_is_closed.
        poppers_.fence_lightly();
        // acquire: what was done before close(). Pairs with shut().
        // Proof: spsc_close_wakes[producer].
        if (poppers_.is_shut(std::memory_order_acquire)) {
          producer_.limit.store(0, std::memory_order_relaxed);
          return {ring_status::closed};
        }
      }
      if (limit == next) return {ring_status::full};
    }
    const std::size_t free = limit - next;
    return {ring_status::success, next, free < wanted ? free : wanted};
  }

  /// Publishes `count` elements that were put into the places from `first`: success; or closed, and
  /// the caller must take them all back.
  [[nodiscard]] ring_status end_push(std::size_t first, std::size_t count = 1) noexcept {
    // release: the elements are there. Pairs with begin_pop(). Proof: spsc_elements.
    producer_.pushed.store(first + count, std::memory_order_release);
    if constexpr (Tuning.blocking) {
      // Proofs: spsc_no_lost_wakeup, spsc_close.
      if (poppers_.calls_are_due()) [[unlikely]]
        return answer_popper(first);
    }
    return ring_status::success;
  }

  // ---- the consumer's

  /// Places with elements: success, empty or closed.
  [[nodiscard]] places begin_pop(std::size_t wanted = 1) noexcept {
    // relaxed: nobody else writes it.
    const std::size_t next = consumer_.popped.load(std::memory_order_relaxed);
    std::size_t there = consumer_.limit - next;
    if (there < wanted) [[unlikely]] {
      if (there == 0 && consumer_.ended) return {ring_status::closed};
      // acquire: the elements are there. Pairs with end_push(). Proof: spsc_elements.
      consumer_.limit = producer_.pushed.load(std::memory_order_acquire);
      there = consumer_.limit - next;
      if (there == 0) {
        if constexpr (!Tuning.blocking) return {ring_status::empty};
        // relaxed: the fence in last_elements() acquires what was done before close().
        if (!poppers_.is_shut(std::memory_order_relaxed)) return {ring_status::empty};
        there = last_elements(next);
        if (there == 0) return {ring_status::closed};
      }
    }
    return {ring_status::success, next, there < wanted ? there : wanted};
  }

  /// Gives back `count` places from `first`, whose elements were taken out.
  void end_pop(std::size_t first, std::size_t count = 1) noexcept {
    // release: the elements were taken out before. Pairs with begin_push(). Proof: spsc_elements.
    consumer_.popped.store(first + count, std::memory_order_release);
    if constexpr (Tuning.blocking) {
      // Proof: spsc_no_lost_wakeup.
      if (pushers_.calls_are_due()) [[unlikely]]
        pushers_.call_one();
    }
  }

  // ---- anybody's

  void close() noexcept {
    poppers_.shut();
    poppers_.fence_heavily_or_wait();
    // relaxed: the fence orders it. Pairs with begin_push().
    producer_.limit.store(0, std::memory_order_relaxed);
    // No fence: a call of everybody writes the word that announcements are made in, always. Who
    // announces itself later sees what went before the call, and so the ring closed.
    pushers_.call_all();
  }

  [[nodiscard]] bool closed() const noexcept {
    // acquire: what was done before close(). Pairs with shut(). Proof: spsc_close_wakes[looks].
    return poppers_.is_shut(std::memory_order_acquire);
  }

  [[nodiscard]] std::size_t size() const noexcept {
    // popped first: it never overtakes pushed.
    const std::size_t popped = consumer_.popped.load(std::memory_order_relaxed);
    return producer_.pushed.load(std::memory_order_relaxed) - popped;
  }

  /// The places that hold elements, once nobody uses the ring any more.
  [[nodiscard]] places remaining() const noexcept {
    const std::size_t first = consumer_.popped.load(std::memory_order_relaxed);
    return {ring_status::success, first, producer_.pushed.load(std::memory_order_relaxed) - first};
  }

  waiting_room<Scope, Tuning>& pushers() noexcept { return pushers_; }
  waiting_room<Scope, Tuning>& poppers() noexcept { return poppers_; }

 private:
  static constexpr std::uint32_t late = 1;
  static constexpr std::uint32_t declared = 2;

  /// Something is up on the consumer's side: it may sleep, or the ring was closed while the
  /// elements from `first` were pushed.
  [[gnu::noinline]] ring_status answer_popper(std::size_t first) noexcept {
    poppers_.call_one();
    if (!poppers_.is_shut(std::memory_order_relaxed)) return ring_status::success;
    // The last element that goes in: what follows must not be taken for it.
    producer_.limit.store(0, std::memory_order_relaxed);
    // acquire: where it finds `declared`, how far the consumer had come. Pairs with
    // last_elements(). Proof: spsc_close.
    std::uint32_t seen = end_.load(std::memory_order_acquire);
    while ((seen & declared) == 0) {
      // release: the consumer that finds `late` finds the elements. acquire: as above.
      // Proof: spsc_close.
      if (end_.compare_exchange_weak(seen, seen | late, std::memory_order_release,
                                     std::memory_order_acquire)) {
        return ring_status::success;
      }
    }
    if (consumer_.popped.load(std::memory_order_relaxed) != first) return ring_status::success;
    producer_.pushed.store(first, std::memory_order_relaxed);
    return ring_status::closed;
  }

  /// The ring was empty and is closed: how many elements there are all the same. None: for good.
  [[gnu::noinline]] std::size_t last_elements(std::size_t next) noexcept {
    // A push that did not see the ring closed has published before this fence. Proof: spsc_close.
    poppers_.fence_heavily_or_wait();
    for (bool sure = false;;) {
      // acquire: as in begin_pop(). Proof: spsc_close.
      consumer_.limit = producer_.pushed.load(std::memory_order_acquire);
      if (consumer_.limit != next) return consumer_.limit - next;
      if (sure) break;
      // acquire: finds the elements of a push that recorded them. Pairs with answer_popper(). How
      // far the consumer had come is released by the fence above. Proof: spsc_close.
      const std::uint32_t before = end_.fetch_or(declared, std::memory_order_acquire);
      if ((before & late) == 0) break;
      sure = true;
    }
    consumer_.ended = true;
    return 0;
  }

  struct alignas(apart) {
    std::atomic<std::size_t> pushed{0};
    std::atomic<std::size_t> limit{0};
  } producer_;

  struct alignas(apart) {
    std::atomic<std::size_t> popped{0};
    std::size_t limit = 0;
    bool ended = false;
  } consumer_;

  // Written when somebody falls asleep or closes the ring; the first words read with every element.
  alignas(apart) waiting_room<Scope, Tuning> poppers_;
  waiting_room<Scope, Tuning> pushers_;
  ordered_atomic<std::uint32_t> end_{0};
};

}  // namespace fencepost::detail
