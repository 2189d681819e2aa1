// SPDX-License-Identifier: MIT
//
// The ring for many producers and consumers; see ring.hpp for what rings are, and
// mpmc_positions.hpp for how this one works.
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

#include "fencepost/ring/cells.hpp"
#include "fencepost/ring/mpmc_positions.hpp"
#include "fencepost/ring/operations.hpp"
#include "fencepost/ring/status.hpp"

namespace fencepost {

/// Any thread may do anything at any time, except destroy it. The elements of one producer are
/// popped in the order in which it pushed them. No operation allocates. A thread that is stopped in
/// the middle of a push or pop holds its cell: others go on until they come to it, and then find
/// the ring empty, or full. Users name it by the aliases in ring.hpp.
template <class T, class Cells, futex::scope Scope, ring_tuning Tuning>
class basic_mpmc_ring
    : public detail::ring_operations<basic_mpmc_ring<T, Cells, Scope, Tuning>, T, Tuning.blocking> {
  static_assert(std::is_object_v<T> && !std::is_array_v<T>, "a ring holds objects");
  static_assert(std::is_nothrow_destructible_v<T> && std::is_nothrow_move_constructible_v<T>,
                "whoever has a cell must be able to fill or empty it: there is no way back");
  static_assert(Scope == futex::scope::process || std::is_trivially_copyable_v<T>,
                "what goes from process to process must mean the same in each of them");

 public:
  using value_type = T;

  /// A ring for at least so many elements, on the heap: the next power of two, see capacity(). At
  /// least 1, or std::length_error.
  explicit basic_mpmc_ring(
      std::size_t capacity) requires std::is_constructible_v<Cells, std::size_t>
      : cells_(capacity) {}

  basic_mpmc_ring() noexcept requires std::is_default_constructible_v<Cells>
  = default;

  basic_mpmc_ring(const basic_mpmc_ring&) = delete;
  basic_mpmc_ring& operator=(const basic_mpmc_ring&) = delete;

  /// Destroys what is left. Nobody may use the ring any more, nor still be inside an operation: who
  /// pops the last element may not destroy the ring while the push of it has not returned.
  ~basic_mpmc_ring() {
    if constexpr (Tuning.catch_misuse && Scope == futex::scope::process) {
      if (pushers().inside() + poppers().inside() != 0) {
        detail::ring_misused("mpmc_ring", this, "destroyed while a thread waits");
      }
    }
    if constexpr (!std::is_trivially_destructible_v<T>) {
      while (take_out([](T&) noexcept {})) {
      }
    }
  }

  /// Puts in an element made of the arguments if there is room now: success, full or closed. Then
  /// the arguments are left alone, unless the element's constructor could throw: it is called
  /// before it is known whether there is room. Where it throws nothing has happened. What precedes
  /// a push happens before what follows the pop of its element.
  template <class... Arguments>
  requires std::is_constructible_v<T, Arguments...> ring_status
  try_emplace(Arguments&&... arguments) {
    if constexpr (builds_in_place<Arguments...>) {
      const auto place = positions_.begin_push(cells_);
      if (!place.status) [[unlikely]]
        return place.status;
      std::construct_at(cells_[place.position].element(), std::forward<Arguments>(arguments)...);
      positions_.end_push(cells_, place.position);
      return place.status;
    } else {
      // No cast: T is constructible.
      return try_emplace(T(std::forward<Arguments>(arguments)...));
    }
  }

  /// Every push from now on fails. What is in the ring can still be taken; then pops say closed.
  /// Wakes everybody who waits. May be called by any thread, and again. A push under way either
  /// succeeds, and its element will be popped, or fails. What precedes close() happens before what
  /// follows a push or pop that says closed.
  void close() noexcept requires(Tuning.blocking) { positions_.close(); }

  /// Whether close() has been called.
  [[nodiscard]] bool closed() const noexcept requires(Tuning.blocking) {
    return positions_.closed();
  }

  /// How many elements it holds at most.
  [[nodiscard]] std::size_t capacity() const noexcept { return cells_.size(); }
  /// A guess at how many elements there are, pushes and pops under way included.
  [[nodiscard]] std::size_t size() const noexcept { return positions_.size(); }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }

 private:
  friend detail::ring_operations<basic_mpmc_ring, T, Tuning.blocking>;

  static constexpr ring_tuning tuning = Tuning;
  template <class... Arguments>
  static constexpr bool builds_in_place = std::is_nothrow_constructible_v<T, Arguments...>;

  template <class Sink>
  ring_status take_out(Sink sink) {
    static_assert(std::is_nothrow_invocable_v<Sink, T&>,
                  "an element whose assignment can throw is taken by the forms that return one");
    const auto place = positions_.begin_pop(cells_);
    if (!place.status) [[unlikely]]
      return place.status;
    T* const element = cells_[place.position].element();
    sink(*element);
    std::destroy_at(element);
    positions_.end_pop(cells_, place.position);
    return place.status;
  }

  auto& pushers() noexcept { return positions_.pushers(); }
  auto& poppers() noexcept { return positions_.poppers(); }
  bool can_push() noexcept { return positions_.can_push(cells_); }
  bool can_pop() noexcept { return positions_.can_pop(cells_); }

  [[no_unique_address]] detail::mpmc_positions<Scope, Tuning> positions_;
  [[no_unique_address]] Cells cells_;
};

}  // namespace fencepost
