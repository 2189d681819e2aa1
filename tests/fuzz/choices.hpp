// SPDX-License-Identifier: MIT
//
// What the fuzz targets are written with: a program of operations read from the fuzzer's bytes, and
// a check that holds in every build.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>

namespace fuzz {

/// Ends the program where it does not hold: the fuzzer keeps the input.
inline void expect(bool holds, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  if (holds) return;
  std::fprintf(stderr, "%s:%d: what is expected here does not hold\n", file, line);
  std::abort();
}

/// The bytes of an input, each read once; behind the end there are zeros.
class choices {
 public:
  choices(const std::uint8_t* data, std::size_t size) noexcept : next_(data), end_(data + size) {}

  [[nodiscard]] bool more() const noexcept { return next_ != end_; }

  std::uint8_t byte() noexcept { return more() ? *next_++ : std::uint8_t{0}; }

  /// 0 to `limit` - 1; `limit`: 1 to 256.
  unsigned below(unsigned limit) noexcept { return byte() % limit; }

  /// Any value that the bytes of the type may have.
  template <class Number>
  Number raw() noexcept {
    unsigned char bytes[sizeof(Number)];
    for (unsigned char& one : bytes) one = byte();
    Number number;
    std::memcpy(&number, bytes, sizeof number);
    return number;
  }

  /// Small, or near an end of the type's range, or anything.
  template <class Integer>
  Integer extreme() noexcept {
    using limits = std::numeric_limits<Integer>;
    const std::uint8_t how = byte();
    const auto small = static_cast<Integer>(how % 16);
    switch (how / 16 % 8) {
      case 0:
        return limits::max() - small;
      case 1:
        return limits::min() + small;
      case 2:
        return limits::max() / 2 + small;
      case 3:
        return raw<Integer>();
      default:
        return small;
    }
  }

 private:
  const std::uint8_t* next_;
  const std::uint8_t* const end_;
};

}  // namespace fuzz
