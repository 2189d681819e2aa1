// SPDX-License-Identifier: MIT
//
// The bookkeeping of a ring with one producer and one consumer, without its elements: who may use
// which place, who sleeps, and when it is over. spsc_ring puts elements to it.
//
// How it works. `pushed_` counts the elements that were ever put in and is written by the producer
// alone, `popped_` those taken out and is the consumer's. Each side keeps the last value that it
// saw of the other's counter and looks again only when that says full, or empty: so a line of
// memory moves between the two processors once in a while, not with every element.
//
// Closing. The producer cannot change its counter and see in the same step that nobody has closed
// the ring: that would be a locked instruction for each push. So a push that was on its way when
// close() was called publishes its element, and finds out then. Who decides what becomes of it is
// `end_`: either the producer records that the element counts before the consumer has declared the
// end, and the consumer will find it; or the declaration was first, and the element is withdrawn.
//
// pushed_: legal to be ahead of what the consumer may take only after the end was declared, by the
// elements that are about to be withdrawn. The consumer, having declared it, looks no more.
// popped_seen, pushed_seen: legal to be behind what they were copied from; illegal to be ahead.
// end_: closed is set once and stays. late: the producer found `closed` after it had published, and
// the end was not declared. declared: the consumer found the ring closed and empty.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "fencepost/ring/cells.hpp"
#include "fencepost/ring/status.hpp"
#include "fencepost/ring/waiting_room.hpp"

namespace fencepost::detail {

template <futex::scope Scope, bool Blocking>
class spsc_positions {
 public:
  /// Where the caller may go on, and how many places there are from there.
  struct places {
    ring_status status;
    std::size_t first = 0;
    std::size_t count = 0;
  };

  constexpr spsc_positions() noexcept = default;

  // ---- the producer's

  /// Free places: success, full or closed. `count` is at least 1, and at most `wanted`.
  [[nodiscard]] places begin_push(std::size_t capacity, std::size_t wanted = 1) noexcept {
    if constexpr (Blocking) {
      // relaxed: decides, and publishes nothing. Who is told looks once more, see closed().
      if (end_.load(std::memory_order_relaxed) != open) [[unlikely]]
        return {told_closed()};
    }
    // relaxed: nobody else writes it.
    const std::size_t next = producer_.pushed.load(std::memory_order_relaxed);
    std::size_t free = capacity - (next - producer_.popped_seen);
    if (free < wanted) [[unlikely]] {
      // acquire: the consumer is done with the places that it gave back. Pairs with end_pop().
      producer_.popped_seen = consumer_.popped.load(std::memory_order_acquire);
      free = capacity - (next - producer_.popped_seen);
      if (free == 0) return {ring_status::full};
    }
    return {ring_status::success, next, free < wanted ? free : wanted};
  }

  /// Publishes `count` elements that were put into the places from `first`: success; or closed, and
  /// the caller must take them all back.
  [[nodiscard]] ring_status end_push(std::size_t first, std::size_t count = 1) noexcept {
    // release: the elements are there. Pairs with begin_pop().
    producer_.pushed.store(first + count, std::memory_order_release);
    if constexpr (Blocking) {
      poppers_.light_fence();
      // relaxed: the fence orders it. Pairs with the heavy fence of end_of_ring().
      if (poppers_.occupied() || end_.load(std::memory_order_relaxed) != open) [[unlikely]]
        return answer_popper(first);
    }
    return ring_status::success;
  }

  // ---- the consumer's

  /// Places with elements: success, empty or closed.
  [[nodiscard]] places begin_pop(std::size_t wanted = 1) noexcept {
    // relaxed: nobody else writes it.
    const std::size_t next = consumer_.popped.load(std::memory_order_relaxed);
    std::size_t there = consumer_.pushed_seen - next;
    if (there < wanted) [[unlikely]] {
      if (there == 0 && consumer_.ended) return {ring_status::closed};
      // acquire: the elements are there. Pairs with end_push().
      consumer_.pushed_seen = producer_.pushed.load(std::memory_order_acquire);
      there = consumer_.pushed_seen - next;
      if (there == 0) {
        if constexpr (!Blocking) return {ring_status::empty};
        if (end_.load(std::memory_order_relaxed) == open) return {ring_status::empty};
        there = last_elements(next);
        if (there == 0) return {ring_status::closed};
      }
    }
    return {ring_status::success, next, there < wanted ? there : wanted};
  }

  /// Gives back `count` places from `first`, whose elements were taken out.
  void end_pop(std::size_t first, std::size_t count = 1) noexcept {
    // release: the elements were taken out before. Pairs with begin_push().
    consumer_.popped.store(first + count, std::memory_order_release);
    if constexpr (Blocking) {
      pushers_.light_fence();
      if (pushers_.occupied()) [[unlikely]]
        pushers_.call_one();
    }
  }

  // ---- anybody's

  void close() noexcept {
    // release: who is told that the ring is closed sees what was done before.
    end_.fetch_or(closed_bit, std::memory_order_release);
    // No fence: a call of everybody writes the word that announcements are made in, always. Who
    // announces itself later sees what went before the call, and so the ring closed.
    poppers_.call_all();
    pushers_.call_all();
  }

  [[nodiscard]] bool closed() const noexcept {
    // acquire: what was done before close(). Pairs with it.
    return end_.load(std::memory_order_acquire) != open;
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

  waiting_room<Scope>& pushers() noexcept { return pushers_; }
  waiting_room<Scope>& poppers() noexcept { return poppers_; }

 private:
  static constexpr std::uint32_t open = 0;
  static constexpr std::uint32_t closed_bit = 1;
  static constexpr std::uint32_t late = 2;
  static constexpr std::uint32_t declared = 4;

  [[gnu::noinline, gnu::cold]] ring_status told_closed() const noexcept {
    static_cast<void>(closed());
    return ring_status::closed;
  }

  /// Something is up on the consumer's side: it may sleep, or the ring was closed while the
  /// elements from `first` were pushed.
  [[gnu::noinline]] ring_status answer_popper(std::size_t first) noexcept {
    poppers_.call_one();
    // acquire: where it finds `declared`, how far the consumer had come. Pairs with
    // last_elements().
    std::uint32_t seen = end_.load(std::memory_order_acquire);
    if (seen == open) return ring_status::success;
    while ((seen & declared) == 0) {
      // release: the consumer that finds `late` finds the elements. acquire: as above.
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
    // A push that did not see the ring closed has published before this fence.
    poppers_.heavy_fence_or_wait();
    for (bool sure = false;;) {
      // acquire: as in begin_pop().
      consumer_.pushed_seen = producer_.pushed.load(std::memory_order_acquire);
      if (consumer_.pushed_seen != next) return consumer_.pushed_seen - next;
      if (sure) break;
      // acq_rel: finds the elements of a push that recorded them, and tells one that did not how
      // far the consumer had come.
      const std::uint32_t before = end_.fetch_or(declared, std::memory_order_acq_rel);
      if ((before & late) == 0) break;
      sure = true;
    }
    consumer_.ended = true;
    return 0;
  }

  struct alignas(apart) {
    std::atomic<std::size_t> pushed{0};
    std::size_t popped_seen = 0;
  } producer_;

  struct alignas(apart) {
    std::atomic<std::size_t> popped{0};
    std::size_t pushed_seen = 0;
    bool ended = false;
  } consumer_;

  // Written when somebody falls asleep or closes the ring, read with every element.
  alignas(apart) waiting_room<Scope> poppers_;
  waiting_room<Scope> pushers_;
  std::atomic<std::uint32_t> end_{open};
};

}  // namespace fencepost::detail
