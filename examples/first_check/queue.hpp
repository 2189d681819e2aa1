// SPDX-License-Identifier: MIT
// A queue between two threads, as one writes it in an afternoon. It has a mistake.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <optional>

template <typename T, std::size_t Size>
class queue {
 public:
  bool push(const T& value) {  // by one thread
    const std::size_t at = tail_.load(std::memory_order_relaxed);
    if (at - head_.load(std::memory_order_acquire) == Size) return false;
    slots_[at % Size] = value;
    tail_.store(at + 1, std::memory_order_relaxed);
    return true;
  }

  std::optional<T> pop() {  // by another
    const std::size_t at = head_.load(std::memory_order_relaxed);
    if (at == tail_.load(std::memory_order_acquire)) return std::nullopt;
    const T value = slots_[at % Size];
    head_.store(at + 1, std::memory_order_release);
    return value;
  }

 private:
  std::array<T, Size> slots_;
  std::atomic<std::size_t> head_{0};
  std::atomic<std::size_t> tail_{0};
};
