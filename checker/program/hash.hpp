// SPDX-License-Identifier: MIT
// Hashes of memory, to tell whether it is as it was.
#pragma once

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

}  // namespace fencepost::checker
