// SPDX-License-Identifier: MIT
//
// From an address, or another number that is not 0, to the number of a table's entry. Whoever looks
// up neither waits nor writes; whoever inserts is alone (process.hpp's `making`). Nothing is ever
// taken out; a number may be given another entry.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace fencepost::profiler {

class address_map {
 public:
  /// Memory for `capacity` keys, a power of two, which is not touched before it is used. False
  /// where there is none.
  bool reserve(std::size_t capacity) noexcept;

  void release() noexcept;

  /// The entry of `key`, or 0.
  [[nodiscard]] std::uint32_t find(std::uint64_t key) const noexcept {
    for (std::size_t at = hash(key);; ++at) {
      const slot& one = slots_[at & mask_];
      // acquire: pairs with the release in put(): the entry's number, and the entry behind it.
      const std::uint64_t found = one.key.load(std::memory_order_acquire);
      if (found == key) return one.entry.load(std::memory_order_acquire);
      if (found == 0) return 0;
    }
  }

  /// Makes `entry`, which is complete, that of `key`. False where the map is three quarters full.
  bool put(std::uint64_t key, std::uint32_t entry) noexcept {
    for (std::size_t at = hash(key);; ++at) {
      slot& one = slots_[at & mask_];
      // relaxed: only this thread writes keys.
      const std::uint64_t found = one.key.load(std::memory_order_relaxed);
      if (found == 0 && used_ > mask_ / 4 * 3) return false;
      if (found != 0 && found != key) continue;
      // release, twice: the entry before its number, the number before its key. Pairs with find().
      one.entry.store(entry, std::memory_order_release);
      one.key.store(key, std::memory_order_release);
      used_ += found == 0;
      return true;
    }
  }

 private:
  struct slot {
    std::atomic<std::uint64_t> key;
    std::atomic<std::uint32_t> entry;
  };

  // Fibonacci hashing: the upper half of a product with 2^64 over the golden ratio.
  static std::size_t hash(std::uint64_t key) noexcept {
    return static_cast<std::size_t>(key * 0x9e3779b97f4a7c15U >> 32);
  }

  slot* slots_ = nullptr;
  std::size_t mask_ = 0;
  std::size_t used_ = 0;
};

}  // namespace fencepost::profiler
