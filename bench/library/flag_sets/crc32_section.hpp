// SPDX-License-Identifier: MIT
//
// A section that keeps its processor busy: the CRC-32 of 16 KiB, computed by a table.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace bench {

namespace detail {

constexpr std::array<std::uint32_t, 256> crc32_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t n = 0; n != 256; ++n) {
    std::uint32_t value = n;
    for (int bit = 0; bit != 8; ++bit)
      value = (value & 1) != 0 ? (value >> 1) ^ UINT32_C(0xEDB88320) : value >> 1;
    table[n] = value;
  }
  return table;
}

inline constexpr auto crc32_of_byte = crc32_table();

}  // namespace detail

/// CRC-32 of IEEE 802.3, byte by byte, without the processor's own instructions for it.
constexpr std::uint32_t crc32(std::span<const unsigned char> bytes) {
  std::uint32_t value = UINT32_C(0xFFFFFFFF);
  for (const unsigned char byte : bytes)
    value = (value >> 8) ^ detail::crc32_of_byte[(value ^ byte) & 255];
  return ~value;
}

static_assert([] {
  constexpr unsigned char digits[] = {'1', '2', '3', '4', '5', '6', '7', '8', '9'};
  return crc32(digits) == UINT32_C(0xCBF43926);
}());

/// 16 KiB that are the same in every run.
struct crc32_block {
  std::array<unsigned char, std::size_t{16} << 10> bytes{};

  crc32_block() {
    std::uint32_t random = 1;
    for (auto& byte : bytes) {
      random = random * 1664525U + 1013904223U;
      byte = static_cast<unsigned char>(random >> 24);
    }
  }
};

}  // namespace bench
