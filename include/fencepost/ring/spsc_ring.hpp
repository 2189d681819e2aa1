// SPDX-License-Identifier: MIT
//
// The ring for one producer and one consumer; see ring.hpp for what rings are, and
// spsc_positions.hpp for how this one works.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>

#include "fencepost/ring/cells.hpp"
#include "fencepost/ring/operations.hpp"
#include "fencepost/ring/spsc_positions.hpp"
#include "fencepost/ring/status.hpp"

namespace fencepost {

/// One thread at a time may push and one at a time may pop; close(), closed(), size() and empty()
/// are everybody's. Handing either part over to another thread needs a happens-before between the
/// two. No operation allocates. Users name it by the aliases in ring.hpp.
template <class T, class Cells, futex::scope Scope, ring_tuning Tuning>
class basic_spsc_ring
    : public detail::ring_operations<basic_spsc_ring<T, Cells, Scope, Tuning>, T, Tuning.blocking> {
  static_assert(std::is_object_v<T> && !std::is_array_v<T>, "a ring holds objects");
  static_assert(std::is_nothrow_destructible_v<T>);
  static_assert(Scope == futex::scope::process || std::is_trivially_copyable_v<T>,
                "what goes from process to process must mean the same in each of them");

 public:
  using value_type = T;

  /// A ring for so many elements, on the heap: at least 1, or std::length_error. Memory is taken
  /// for the next power of two; the ring is full at `capacity` all the same.
  explicit basic_spsc_ring(
      std::size_t capacity) requires std::is_constructible_v<Cells, std::size_t>
      : cells_(capacity) {}

  basic_spsc_ring() noexcept requires std::is_default_constructible_v<Cells>
  = default;

  basic_spsc_ring(const basic_spsc_ring&) = delete;
  basic_spsc_ring& operator=(const basic_spsc_ring&) = delete;

  /// Destroys what is left. Nobody may use the ring any more, nor still be inside an operation: who
  /// pops the last element may not destroy the ring while the push of it has not returned.
  ~basic_spsc_ring() {
    if constexpr (catches_misuse) {
      if (producing_.load(std::memory_order_relaxed) ||
          consuming_.load(std::memory_order_relaxed) ||
          pushers().inside() + poppers().inside() != 0) {
        misused("destroyed while a thread uses it or waits");
      }
    }
    if constexpr (!std::is_trivially_destructible_v<T>) {
      const auto left = positions_.remaining();
      destroy(left.first, left.count);
    }
  }

  /// The producer's: puts in an element made of the arguments if there is room now: success, full
  /// or closed. Then they are left alone, unless close() is called meanwhile: a T that was moved is
  /// assigned back, and what that throws comes out here; a T that cannot be assigned, and whatever
  /// else the element was made of, may be used up. Where the element's constructor throws nothing
  /// has happened. What precedes a push happens before what follows the pop of its element.
  template <class... Arguments>
  requires std::is_constructible_v<T, Arguments...> ring_status
  try_emplace(Arguments&&... arguments) {
    const sole_user now{*this, producing_, "two threads push at once"};
    const auto place = positions_.begin_push(cells_.capacity());
    if (!place.status) [[unlikely]]
      return place.status;
    std::construct_at(at(place.first), std::forward<Arguments>(arguments)...);
    const ring_status came = positions_.end_push(place.first);
    if (!came) [[unlikely]] {
      if constexpr (std::is_same_v<void(Arguments && ...), void(T &&)>) {
        take_back(place.first, 1, std::move_iterator(std::addressof(arguments)...));
      } else {
        destroy(place.first, 1);
      }
    }
    return came;
  }

  /// The producer's: puts in as many of the `count` values from `first` (a forward iterator) as
  /// there is room for now, all at once, and returns how many: fewer than `count` says that the
  /// ring is full, or closed. With a std::move_iterator the values are moved, and those that did
  /// not go in are as they were, under the conditions of try_emplace().
  template <class Iterator>
  std::size_t try_push_n(Iterator first, std::size_t count) {
    using value = std::iter_reference_t<Iterator>;
    if constexpr (std::is_nothrow_constructible_v<T, value>) {
      const sole_user now{*this, producing_, "two threads push at once"};
      if (count == 0) return 0;
      // There is never more room than that, and sums with what is wanted must not wrap.
      const std::size_t most = cells_.capacity();
      const auto place = positions_.begin_push(most, std::min(count, most));
      if (!place.status) return 0;
      Iterator from = first;
      for (std::size_t n = 0; n != place.count; ++n, static_cast<void>(++from)) {
        std::construct_at(at(place.first + n), *from);
      }
      if (positions_.end_push(place.first, place.count)) [[likely]]
        return place.count;
      take_back(place.first, place.count, first);
      return 0;
    } else {
      std::size_t done = 0;
      for (; done != count && try_emplace(*first); ++done) ++first;
      return done;
    }
  }

  /// The producer's: puts in `count` values from `first`, waiting while the ring is full; returns
  /// how many went in, which is fewer only if the ring was closed.
  template <class Iterator>
  std::size_t push_n(Iterator first, std::size_t count) requires(Tuning.blocking) {
    for (std::size_t done = 0;;) {
      const std::size_t some = try_push_n(first, count - done);
      done += some;
      if (done == count) return done;
      std::advance(first, some);
      if (!this->emplace(*first)) return done;
      ++first;
      if (++done == count) return done;
    }
  }

  /// The consumer's: takes up to `count` elements that are there now, oldest first, assigns them to
  /// `*into++`, and returns how many. Where an assignment throws, the elements from that one on
  /// stay in the ring.
  template <class Iterator>
  std::size_t try_pop_n(Iterator into, std::size_t count) {
    const sole_user now{*this, consuming_, "two threads pop at once"};
    if (count == 0) return 0;
    const auto place = positions_.begin_pop(count);
    if (!place.status) return 0;
    struct given_back {
      ~given_back() {
        if (done != 0) ring.positions_.end_pop(first, done);
      }
      basic_spsc_ring& ring;
      std::size_t first;
      std::size_t done = 0;
    } taken{*this, place.first};
    for (; taken.done != place.count; ++into) {
      T* const element = at(place.first + taken.done);
      *into = std::move(*element);
      std::destroy_at(element);
      ++taken.done;
    }
    return taken.done;
  }

  /// The consumer's: as try_pop_n(), waiting for the first of them; 0 says closed and empty. Where
  /// an assignment throws, the elements from that one on stay in the ring.
  template <class Iterator>
  std::size_t pop_n(Iterator into, std::size_t count) requires(Tuning.blocking) {
    if (count == 0) return 0;
    if (const std::size_t some = try_pop_n(into, count); some != 0) return some;
    // Assigned from its place in the ring, where it stays if that throws.
    const auto assign = [&into](T& element) { *into = std::move(element); };
    if (!this->take_slowly(detail::no_deadline{}, assign)) return 0;
    ++into;
    return 1 + try_pop_n(into, count - 1);
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
  [[nodiscard]] std::size_t capacity() const noexcept { return cells_.capacity(); }
  /// How many elements there were a moment ago: for the producer an upper bound of how many there
  /// are, for the consumer a lower one, for others a guess.
  [[nodiscard]] std::size_t size() const noexcept { return positions_.size(); }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }

 private:
  friend detail::ring_operations<basic_spsc_ring, T, Tuning.blocking>;

  static constexpr ring_tuning tuning = Tuning;
  // A process that was killed within an operation, or while it waited, is counted for ever.
  static constexpr bool catches_misuse = Tuning.catch_misuse && Scope == futex::scope::process;
  template <class...>
  static constexpr bool builds_in_place = true;

  T* at(std::size_t position) noexcept { return cells_[position].element(); }

  template <class Sink>
  ring_status take_out(Sink sink) {
    const sole_user now{*this, consuming_, "two threads pop at once"};
    const auto place = positions_.begin_pop();
    if (!place.status) [[unlikely]]
      return place.status;
    T* const element = at(place.first);
    sink(*element);
    std::destroy_at(element);
    positions_.end_pop(place.first);
    return place.status;
  }

  /// Elements that came too late go back to where they came from, if those are Ts that were moved.
  /// They are destroyed, also where an assignment throws.
  template <class Iterator>
  [[gnu::noinline, gnu::cold]] void take_back(std::size_t first, std::size_t count, Iterator to) {
    struct withdrawn {
      ~withdrawn() { ring.destroy(first, count); }
      basic_spsc_ring& ring;
      std::size_t first;
      std::size_t count;
    } const those{*this, first, count};
    if constexpr (std::is_same_v<std::iter_reference_t<Iterator>, T&&> &&
                  std::is_move_assignable_v<T>) {
      for (std::size_t n = 0; n != count; ++n, static_cast<void>(++to)) {
        T&& origin = *to;
        origin = std::move(*at(first + n));
      }
    }
  }

  void destroy(std::size_t first, std::size_t count) noexcept {
    for (std::size_t n = 0; n != count; ++n) std::destroy_at(at(first + n));
  }

  auto& pushers() noexcept { return positions_.pushers(); }
  auto& poppers() noexcept { return positions_.poppers(); }
  bool can_push() noexcept { return false; }
  bool can_pop() noexcept { return false; }

  /// Notes that somebody pushes (or pops), and who does so at the same time is found out.
  struct sole_user {
    sole_user(basic_spsc_ring& ring, std::atomic<bool>& part, const char* otherwise) noexcept
        : mine(part) {
      if constexpr (catches_misuse) {
        // relaxed: must not order what the ring itself does not.
        if (mine.exchange(true, std::memory_order_relaxed)) ring.misused(otherwise);
      }
    }
    ~sole_user() {
      if constexpr (catches_misuse) mine.store(false, std::memory_order_relaxed);
    }
    std::atomic<bool>& mine;
  };

  [[noreturn, gnu::noinline, gnu::cold]] void misused(const char* how) const noexcept {
    detail::ring_misused("spsc_ring", this, how);
  }

  [[no_unique_address]] detail::spsc_positions<Scope, Tuning> positions_;
  [[no_unique_address]] Cells cells_;
  // Used where misuse is caught; always there, so that a ring has one layout.
  std::atomic<bool> producing_{false};
  std::atomic<bool> consuming_{false};
};

}  // namespace fencepost
