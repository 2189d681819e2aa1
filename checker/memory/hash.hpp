// SPDX-License-Identifier: MIT
// Hashes of memory, to tell whether it is as it was, and of programs, to tell them apart.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fencepost::checker {

inline std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  __extension__ using Product = unsigned __int128;
  const auto product =
      static_cast<Product>(a ^ 0x9E3779B97F4A7C15ULL) * (b ^ 0xD6E8FEB86659FD93ULL);
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

// Of the whole words between two addresses.
inline std::uint64_t hash_memory(std::uint64_t h, std::uintptr_t begin, std::uintptr_t end) {
  const auto* word = reinterpret_cast<const std::uint64_t*>((begin + 7) & ~std::uintptr_t{7});
  const auto* top = reinterpret_cast<const std::uint64_t*>(end & ~std::uintptr_t{7});
  std::uint64_t other = h;
  for (; word + 2 <= top; word += 2) {
    h = mix(h ^ word[0], word[1]);
    other += h;
  }
  if (word < top) h = mix(h, *word);
  return mix(h, other);
}

// FNV-1a: the same everywhere; it does not defend against anybody.
class Hash {
 public:
  void add(const void* from, std::size_t count) {
    const auto* p = static_cast<const unsigned char*>(from);
    for (std::size_t i = 0; i < count; ++i) value_ = (value_ ^ p[i]) * 0x100000001B3;
  }
  unsigned long value() const { return value_; }

 private:
  std::uint64_t value_ = 0xCBF29CE484222325;
};

}  // namespace fencepost::checker
