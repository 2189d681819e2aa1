// SPDX-License-Identifier: MIT
//
// Elements of a size that is known when the program runs, and the cells that hold them.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "fencepost/ring/cells.hpp"

namespace fencepost {

/// Copies an element. The usual sizes are instructions, not calls.
inline void copy(void* into, const void* from, std::size_t size) noexcept {
  if (size == 8) {
    std::memcpy(into, from, 8);
  } else if (size == 4) {
    std::memcpy(into, from, 4);
  } else if (size == 16) {
    std::memcpy(into, from, 16);
  } else {
    std::memcpy(into, from, size);
  }
}

/// Where an element is or shall be, and its size. To assign one is to copy the bytes.
struct element_at {
  void* memory;
  std::size_t size;

  element_at(void* where, std::size_t bytes) noexcept : memory(where), size(bytes) {}
  element_at(const element_at&) = delete;
  element_at& operator=(element_at&& from) noexcept {
    copy(memory, from.memory, size);
    return *this;
  }
};

/// What a ring knows of its memory. Its distance, not its address: processes map the two together
/// and anywhere.
struct ring_memory {
  std::size_t element_size;
  std::size_t capacity;
  std::size_t cells;  // a power of two
  std::size_t stride;
  std::ptrdiff_t distance;  // from the ring
  void* allocated;          // what destroy frees
  unsigned flags;
};

/// The cells of a ring for one producer and one consumer: elements, one behind the other.
struct plain_cells {
  static std::size_t stride(std::size_t element_size) noexcept { return element_size; }
};

/// The cells of a ring for many: a turn before each element.
class cells_in_turns {
 public:
  struct cell {
    std::atomic<std::size_t> turn{0};

    std::byte* element() noexcept { return reinterpret_cast<std::byte*>(this + 1); }
  };

  static std::size_t stride(std::size_t element_size) noexcept {
    return sizeof(cell) + (element_size + alignof(cell) - 1) / alignof(cell) * alignof(cell);
  }

  cells_in_turns(std::byte* first, const ring_memory& memory) noexcept
      : first_(first), stride_(memory.stride), cells_(memory.cells) {}

  [[nodiscard]] cell& operator[](std::size_t position) const noexcept {
    return *reinterpret_cast<cell*>(first_ + (position & (cells_ - 1)) * stride_);
  }
  [[nodiscard]] std::size_t size() const noexcept { return cells_; }

 private:
  std::byte* first_;
  std::size_t stride_;
  std::size_t cells_;
};

}  // namespace fencepost
