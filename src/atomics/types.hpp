// SPDX-License-Identifier: MIT
//
// The unsigned integers that objects are made of. They may lie where objects of any type do.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fencepost::atomics {

using std::size_t;
using std::uintptr_t;

template <unsigned Size>
struct unsigned_of;
template <>
struct unsigned_of<1> {
  using type = std::uint8_t;
};
template <>
struct unsigned_of<2> {
  using type = std::uint16_t;
};
template <>
struct unsigned_of<4> {
  using type = std::uint32_t;
};
template <>
struct unsigned_of<8> {
  using type = std::uint64_t;
};
template <>
struct unsigned_of<16> {
  __extension__ using type = unsigned __int128;
};

template <unsigned Size>
using word_of [[gnu::may_alias]] = typename unsigned_of<Size>::type;

using word64 = word_of<8>;
using word128 = word_of<16>;

constexpr word128 joined_halves(word64 low, word64 high) noexcept {
  return (static_cast<word128>(high) << 64) | low;
}
constexpr word64 low_half(word128 both) noexcept { return static_cast<word64>(both); }
constexpr word64 high_half(word128 both) noexcept { return static_cast<word64>(both >> 64); }

}  // namespace fencepost::atomics
