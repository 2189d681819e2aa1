// SPDX-License-Identifier: MIT
//
// A map with two buckets, which writers lock one by one without spinning, and with keys that say
// where they go: of keys in the first half of the numbers and in the second, each have a bucket.
// In four buckets it is the quarters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "fencepost/concurrent_hash_map.hpp"

using number = std::uint64_t;

/// Undoes what the map does to a hash: its multiplier's inverse.
struct as_it_is {
  std::size_t operator()(number key) const noexcept { return key * 0xF1DE83E19937733DU; }
};

using small_map = fencepost::concurrent_hash_map<
    number, int, as_it_is, std::equal_to<>, std::allocator<std::pair<const number, int>>,
    fencepost::hash_map_tuning{
        .stripe_bits = 1,
        .smallest_bits = 1,
        .lock = {
            .pausing_rounds = 0, .yielding_rounds = 0, .overtakes = 0, .catch_misuse = false}}>;

/// Both in one bucket of two, and in one of four.
inline constexpr number first = 1;
inline constexpr number beside_first = 2;
/// In one bucket of two with them, but not of four.
inline constexpr number parted = number{1} << 62;

/// Has a map of two buckets go over to four.
inline void grow(small_map& map) { map.reserve(3); }
