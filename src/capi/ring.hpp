// SPDX-License-Identifier: MIT
//
// Rings of elements that are bytes: the bookkeeping and the waiting of the C++ rings, with cells of
// a size that is known when the program runs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "element.hpp"
#include "fencepost/futex.hpp"
#include "fencepost/ring/mpmc_positions.hpp"
#include "fencepost/ring/operations.hpp"
#include "fencepost/ring/spsc_positions.hpp"
#include "fencepost/ring/status.hpp"

namespace fencepost {

/// Those who wait are counted in every build, for destroying a ring in use is refused.
inline constexpr ring_tuning tuning_of_bytes{.catch_misuse = true};

template <futex::scope Scope>
class spsc_ring_of_bytes
    : public detail::ring_operations<spsc_ring_of_bytes<Scope>, element_at, true> {
 public:
  using cells = plain_cells;
  static constexpr std::size_t capacity_for(std::size_t wanted) noexcept { return wanted; }

  explicit spsc_ring_of_bytes(const ring_memory& memory) noexcept : memory_(memory) {}

  [[gnu::always_inline]] ring_status try_emplace(const void* element) noexcept {
    const auto place = positions_.begin_push(memory_.capacity);
    if (!place.status) [[unlikely]]
      return place.status;
    copy(at(place.first), element, memory_.element_size);
    return positions_.end_push(place.first);
  }

  std::size_t try_push_n(const void* elements, std::size_t count) noexcept {
    if (count == 0) return 0;
    // There is never more room than that, and sums with what is wanted must not wrap.
    const std::size_t most = memory_.capacity;
    const auto place = positions_.begin_push(most, std::min(count, most));
    if (!place.status) return 0;
    const auto* const from = static_cast<const std::byte*>(elements);
    const std::size_t straight = before_the_edge(place.first, place.count);
    std::memcpy(at(place.first), from, straight * memory_.element_size);
    std::memcpy(at(place.first + straight), from + straight * memory_.element_size,
                (place.count - straight) * memory_.element_size);
    return positions_.end_push(place.first, place.count) ? place.count : 0;
  }

  std::size_t try_pop_n(void* elements, std::size_t count) noexcept {
    if (count == 0) return 0;
    const auto place = positions_.begin_pop(count);
    if (!place.status) return 0;
    auto* const into = static_cast<std::byte*>(elements);
    const std::size_t straight = before_the_edge(place.first, place.count);
    std::memcpy(into, at(place.first), straight * memory_.element_size);
    std::memcpy(into + straight * memory_.element_size, at(place.first + straight),
                (place.count - straight) * memory_.element_size);
    positions_.end_pop(place.first, place.count);
    return place.count;
  }

  void close() noexcept { positions_.close(); }
  [[nodiscard]] bool closed() const noexcept { return positions_.closed(); }
  [[nodiscard]] std::size_t capacity() const noexcept { return memory_.capacity; }
  [[nodiscard]] std::size_t size() const noexcept { return positions_.size(); }
  [[nodiscard]] const ring_memory& memory() const noexcept { return memory_; }
  /// Whether threads wait; a process that was killed while it waited would be counted for ever.
  bool waited_for() noexcept {
    return Scope == futex::scope::process && pushers().inside() + poppers().inside() != 0;
  }

 private:
  friend detail::ring_operations<spsc_ring_of_bytes, element_at, true>;

  static constexpr ring_tuning tuning = tuning_of_bytes;
  template <class...>
  static constexpr bool builds_in_place = true;

  template <class Sink>
  [[gnu::always_inline]] ring_status take_out(Sink sink) noexcept {
    const auto place = positions_.begin_pop();
    if (!place.status) [[unlikely]]
      return place.status;
    element_at element(at(place.first), memory_.element_size);
    sink(element);
    positions_.end_pop(place.first);
    return place.status;
  }

  std::byte* at(std::size_t position) noexcept {
    return reinterpret_cast<std::byte*>(this) + memory_.distance +
           (position & (memory_.cells - 1)) * memory_.stride;
  }

  /// How many of `count` cells from `position` lie in one piece.
  [[nodiscard]] std::size_t before_the_edge(std::size_t position,
                                            std::size_t count) const noexcept {
    return std::min(count, memory_.cells - (position & (memory_.cells - 1)));
  }

  auto& pushers() noexcept { return positions_.pushers(); }
  auto& poppers() noexcept { return positions_.poppers(); }
  // Nobody else pushes, or pops, who could have missed a call.
  bool can_push() noexcept { return false; }
  bool can_pop() noexcept { return false; }

  detail::spsc_positions<Scope, tuning_of_bytes> positions_;
  ring_memory memory_;
};

template <futex::scope Scope>
class mpmc_ring_of_bytes
    : public detail::ring_operations<mpmc_ring_of_bytes<Scope>, element_at, true> {
 public:
  using cells = cells_in_turns;
  static constexpr std::size_t capacity_for(std::size_t wanted) noexcept {
    return std::bit_ceil(wanted);
  }

  explicit mpmc_ring_of_bytes(const ring_memory& memory) noexcept : memory_(memory) {
    for (std::size_t n = 0; n != memory_.cells; ++n) new (&all()[n]) cells_in_turns::cell;
  }

  [[gnu::always_inline]] ring_status try_emplace(const void* element) noexcept {
    const cells_in_turns cells = all();
    const auto place = positions_.begin_push(cells);
    if (!place.status) [[unlikely]]
      return place.status;
    copy(cells[place.position].element(), element, memory_.element_size);
    positions_.end_push(cells, place.position);
    return place.status;
  }

  void close() noexcept { positions_.close(); }
  [[nodiscard]] bool closed() const noexcept { return positions_.closed(); }
  [[nodiscard]] std::size_t capacity() const noexcept { return memory_.capacity; }
  [[nodiscard]] std::size_t size() const noexcept { return positions_.size(); }
  [[nodiscard]] const ring_memory& memory() const noexcept { return memory_; }
  /// Whether threads wait; a process that was killed while it waited would be counted for ever.
  bool waited_for() noexcept {
    return Scope == futex::scope::process && pushers().inside() + poppers().inside() != 0;
  }

 private:
  friend detail::ring_operations<mpmc_ring_of_bytes, element_at, true>;

  static constexpr ring_tuning tuning = tuning_of_bytes;
  template <class...>
  static constexpr bool builds_in_place = true;

  template <class Sink>
  [[gnu::always_inline]] ring_status take_out(Sink sink) noexcept {
    const cells_in_turns cells = all();
    const auto place = positions_.begin_pop(cells);
    if (!place.status) [[unlikely]]
      return place.status;
    element_at element(cells[place.position].element(), memory_.element_size);
    sink(element);
    positions_.end_pop(cells, place.position);
    return place.status;
  }

  cells_in_turns all() noexcept {
    return {reinterpret_cast<std::byte*>(this) + memory_.distance, memory_};
  }

  auto& pushers() noexcept { return positions_.pushers(); }
  auto& poppers() noexcept { return positions_.poppers(); }
  bool can_push() noexcept {
    const cells_in_turns cells = all();
    return positions_.can_push(cells);
  }
  bool can_pop() noexcept {
    const cells_in_turns cells = all();
    return positions_.can_pop(cells);
  }

  detail::mpmc_positions<Scope, tuning_of_bytes> positions_;
  ring_memory memory_;
};

}  // namespace fencepost
