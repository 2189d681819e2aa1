// SPDX-License-Identifier: MIT
//
// The bookkeeping of a ring with many producers and consumers, without its elements: who may use
// which place, who sleeps, and when it is over. mpmc_ring puts elements to it.
//
// How it works. It is Dmitry Vyukov's bounded queue. `pushed_` and `popped_` hand out positions;
// the n-th push and the n-th pop meet in cell n modulo the number of cells, whose `turn` says whose
// turn it is. A thread looks at the turn first, and takes the position by compare-exchange only if
// it is its own; so a position is never taken in vain, and who finds that it is not its turn may
// give up. Between taking a position and passing the turn on a thread is alone with the cell.
//
// Turns: the one that the n-th push waits for is 2 * (n - n % cells), which in the first round is
// zero; the push makes it one more, for the n-th pop, and the pop makes it what the push of the
// next round waits for. A turn never returns.
//
// Closing is a bit of pushed_: the compare-exchange of a push that comes later fails, and how many
// elements there will ever be is known from then on.
//
// Source: Dmitry Vyukov, "Bounded MPMC queue", 1024cores.net. Differences: turns that begin with
// zero and work for a single cell, closing, and sleeping.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "fencepost/ring/cells.hpp"
#include "fencepost/ring/status.hpp"
#include "fencepost/ring/waiting_room.hpp"

namespace fencepost::detail {

/// Room for one T, and whose turn it is.
template <class T>
struct taken_in_turns {
  std::atomic<std::size_t> turn{0};
  alignas(T) std::byte memory[sizeof(T)];

  T* element() noexcept { return std::launder(reinterpret_cast<T*>(memory)); }
};

template <futex::scope Scope, ring_tuning Tuning>
class mpmc_positions {
 public:
  struct place {
    ring_status status;
    std::size_t position = 0;
  };

  mpmc_positions() noexcept = default;

  /// A free cell: success, full or closed. The caller fills it, and then calls end_push().
  template <class Cells>
  [[nodiscard]] place begin_push(Cells& cells) noexcept {
    // relaxed: who takes a position learns of the cell by its turn.
    std::size_t next = pushed_.load(std::memory_order_relaxed);
    for (;;) {
      if ((next & closed_bit) != 0) [[unlikely]] {
        static_cast<void>(closed());
        return {ring_status::closed};
      }
      // acquire: the element that was here has been taken out. Pairs with end_pop().
      // Proof: mpmc_elements.
      const std::size_t turn = cells[next].turn.load(std::memory_order_acquire);
      const std::size_t mine = push_turn(next, cells);
      if (turn == mine) {
        if (pushed_.compare_exchange_weak(next, next + 1, std::memory_order_relaxed,
                                          std::memory_order_relaxed)) {
          return {ring_status::success, next};
        }
      } else if (is_before(turn, mine)) {
        return {ring_status::full};
      } else {
        next = pushed_.load(std::memory_order_relaxed);
      }
    }
  }

  /// Publishes the element.
  template <class Cells>
  void end_push(Cells& cells, std::size_t position) noexcept {
    // release: the element is there. Pairs with begin_pop(). Proof: mpmc_elements.
    cells[position].turn.store(push_turn(position, cells) + 1, std::memory_order_release);
    if constexpr (Tuning.blocking) {
      // Proof: mpmc_no_lost_wakeup.
      if (poppers_.calls_are_due()) [[unlikely]]
        answer_poppers();
    }
  }

  /// A cell with an element: success, empty or closed. The caller takes the element out, and then
  /// calls end_pop().
  template <class Cells>
  [[nodiscard]] place begin_pop(Cells& cells) noexcept {
    std::size_t next = popped_.load(std::memory_order_relaxed);
    for (;;) {
      // acquire: the element is there. Pairs with end_push(). Proof: mpmc_elements.
      const std::size_t turn = cells[next].turn.load(std::memory_order_acquire);
      const std::size_t mine = push_turn(next, cells) + 1;
      if (turn == mine) {
        if (popped_.compare_exchange_weak(next, next + 1, std::memory_order_relaxed,
                                          std::memory_order_relaxed)) {
          return {ring_status::success, next};
        }
      } else if (is_before(turn, mine)) {
        if constexpr (!Tuning.blocking) return {ring_status::empty};
        // acquire: what was done before close() is seen by who is told. Pairs with close().
        // Proof: mpmc_close.
        const std::size_t pushed = pushed_.load(std::memory_order_acquire);
        return {pushed == (next | closed_bit) ? ring_status::closed : ring_status::empty};
      } else {
        next = popped_.load(std::memory_order_relaxed);
      }
    }
  }

  /// Gives the cell back.
  template <class Cells>
  void end_pop(Cells& cells, std::size_t position) noexcept {
    // release: the element was taken out before. Pairs with begin_push(). Proof: mpmc_elements.
    cells[position].turn.store(push_turn(position + cells.size(), cells),
                               std::memory_order_release);
    if constexpr (Tuning.blocking) {
      // Proof: mpmc_no_lost_wakeup.
      if (pushers_.calls_are_due()) [[unlikely]]
        pushers_.call_one();
    }
  }

  void close() noexcept {
    // release: who is told that the ring is closed sees what was done before. Pairs with closed()
    // and begin_pop(). Proof: mpmc_close.
    pushed_.fetch_or(closed_bit, std::memory_order_release);
    // No fence: a call of everybody writes the word that announcements are made in, always. Who
    // announces itself later sees what went before the call, and so the ring closed.
    poppers_.call_all();
    pushers_.call_all();
  }

  [[nodiscard]] bool closed() const noexcept {
    // acquire: what was done before close(). Pairs with it. Proof: mpmc_close.
    return (pushed_.load(std::memory_order_acquire) & closed_bit) != 0;
  }

  [[nodiscard]] std::size_t size() const noexcept {
    // popped first: it never overtakes pushed.
    const std::size_t popped = popped_.load(std::memory_order_relaxed);
    return (pushed_.load(std::memory_order_relaxed) & ~closed_bit) - popped;
  }

  /// Whether a push, or a pop, would find its turn. What sleepers were called for has been seen.
  template <class Cells>
  [[nodiscard]] bool can_push(Cells& cells) const noexcept {
    const std::size_t next = pushed_.load(std::memory_order_relaxed);
    return cells[next].turn.load(std::memory_order_relaxed) == push_turn(next, cells);
  }
  template <class Cells>
  [[nodiscard]] bool can_pop(Cells& cells) const noexcept {
    const std::size_t next = popped_.load(std::memory_order_relaxed);
    return cells[next].turn.load(std::memory_order_relaxed) == push_turn(next, cells) + 1;
  }

  waiting_room<Scope, Tuning>& pushers() noexcept { return pushers_; }
  waiting_room<Scope, Tuning>& poppers() noexcept { return poppers_; }

 private:
  /// The highest bit: positions would take centuries to get there.
  static constexpr std::size_t closed_bit = ~(~std::size_t{0} >> 1);

  template <class Cells>
  static std::size_t push_turn(std::size_t position, const Cells& cells) noexcept {
    return 2 * (position & ~(cells.size() - 1));
  }

  static bool is_before(std::size_t turn, std::size_t other) noexcept {
    return static_cast<std::ptrdiff_t>(turn - other) < 0;
  }

  [[gnu::noinline]] void answer_poppers() noexcept {
    poppers_.call_one();
    // Whoever sleeps though the ring is closed waits for pushes that were under way, and for the
    // end: after the last of those nobody would call them any more.
    if ((pushed_.load(std::memory_order_relaxed) & closed_bit) != 0) [[unlikely]]
      poppers_.call_all();
  }

  alignas(apart) std::atomic<std::size_t> pushed_{0};
  alignas(apart) std::atomic<std::size_t> popped_{0};
  // Written when somebody falls asleep, read with every element.
  alignas(apart) waiting_room<Scope, Tuning> poppers_;
  waiting_room<Scope, Tuning> pushers_;
};

}  // namespace fencepost::detail
