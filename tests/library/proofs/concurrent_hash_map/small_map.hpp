// SPDX-License-Identifier: MIT
//
// A map with two buckets, which writers lock one by one without spinning, and with keys that say
// where they go: of keys in the first half of the numbers and in the second, each have a bucket.
// In four buckets it is the quarters. Its elements lie in the buckets, or with ALLOCATED elsewhere.
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

#ifdef ALLOCATED
/// What keys that are compared by something else than their bytes are compared by.
struct equal {
  bool operator()(number one, number other) const { return one == other; }
};
#else
using equal = std::equal_to<>;
#endif

using small_map = fencepost::concurrent_hash_map<
    number, int, as_it_is, equal, std::allocator<std::pair<const number, int>>,
    fencepost::hash_map_tuning{
        .stripe_bits = 1,
        .smallest_bits = 1,
        .lock = {
            .pausing_rounds = 0, .yielding_rounds = 0, .overtakes = 0, .catch_misuse = false}}>;

/// All in one bucket of two, and in one of four, and of one fingerprint.
inline constexpr number first = 1;
inline constexpr number beside_first = 2;
/// In one bucket of two with them, but not of four.
inline constexpr number parted = number{1} << 62;

/// Fills so many places of the bucket in which those are with keys of other fingerprints. Behind
/// eight of them come the places of the second word of fingerprints, and behind all a further part.
inline constexpr number first_word = 8;
inline constexpr number first_part = fencepost::hash_map::part::places;
inline void fill(small_map& map, number places) {
  for (number n = 0; n != places; ++n) map.insert({(n + 2) << 55, 9});
}

/// Visits an element, with BATCH as one of many.
template <class Visitor>
bool look_up(const small_map& map, number key, Visitor visitor) {
#ifdef BATCH
  return map.visit(&key, &key + 1, visitor) == 1;
#else
  return map.visit(key, visitor);
#endif
}

/// Has a map of two buckets go over to four.
inline void grow(small_map& map) { map.reserve(21); }
