// SPDX-License-Identifier: MIT
//
// Where a ring keeps its elements: on the heap, as many as the constructor is told, or within
// itself. Either way the number of cells is a power of two, so that the place of the n-th element
// is n & mask.
//
// A cell is raw memory: which of them hold an element is the ring's affair. A zeroed cell is valid.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <stdexcept>

namespace fencepost::detail {

/// Two threads that write to the same such block of memory slow each other down. Twice a line, for
/// processors fetch lines in pairs.
inline constexpr std::size_t apart = 128;

/// Room for one T.
template <class T>
struct plain_cell {
  alignas(T) std::byte memory[sizeof(T)];

  T* element() noexcept { return std::launder(reinterpret_cast<T*>(memory)); }
};

/// The most cells that positions can tell apart.
inline constexpr std::size_t most_cells = std::size_t{1} << (8 * sizeof(std::size_t) - 4);

template <class Cell>
class heap_cells {
 public:
  explicit heap_cells(std::size_t capacity)
      : mask_(std::bit_ceil(checked(capacity)) - 1),
        capacity_(capacity),
        cells_(std::make_unique<Cell[]>(mask_ + 1)) {}

  Cell& operator[](std::size_t position) noexcept { return cells_[position & mask_]; }
  [[nodiscard]] const std::size_t& capacity() const noexcept { return capacity_; }
  [[nodiscard]] std::size_t size() const noexcept { return mask_ + 1; }

 private:
  static std::size_t checked(std::size_t capacity) {
    if (capacity == 0 || capacity > most_cells) {
#if defined(__cpp_exceptions)
      throw std::length_error("fencepost: the capacity of a ring is zero or too large");
#else
      std::abort();
#endif
    }
    return capacity;
  }

  std::size_t mask_;
  std::size_t capacity_;
  std::unique_ptr<Cell[]> cells_;
};

template <class Cell, std::size_t Capacity>
class inline_cells {
  static_assert(Capacity > 0 && Capacity <= most_cells);

 public:
  Cell& operator[](std::size_t position) noexcept { return cells_[position & (size() - 1)]; }
  [[nodiscard]] static constexpr std::size_t capacity() noexcept { return Capacity; }
  [[nodiscard]] static constexpr std::size_t size() noexcept { return std::bit_ceil(Capacity); }

 private:
  alignas(std::max(apart, alignof(Cell))) Cell cells_[std::bit_ceil(Capacity)];
};

}  // namespace fencepost::detail
