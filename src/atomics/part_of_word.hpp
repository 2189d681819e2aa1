// SPDX-License-Identifier: MIT
//
// Some of the bytes of an aligned word, which are an object: taken out of a caller's buffer and put
// in their place, compared there, and given back to a buffer. All with the bytes where they are in
// the word, for to bring them to its end and back takes longer than what is done with them.
//
// Of 16 bytes, in halves: shifts of 128 bits by a variable number are a dozen instructions each. An
// object that lies within one half has a word of 8 bytes, so those here have bytes of both.
#pragma once

#include "private_bytes.hpp"

namespace fencepost::atomics {

template <unsigned Width>
class part_of_word {
 public:
  using value_type = word_of<Width>;

  part_of_word(uintptr_t address, size_t size) noexcept
      : shift_(static_cast<unsigned>(address % Width) * 8), size_(size) {}

  /// A buffer's bytes in their place, and zeros around them.
  value_type placed(const unsigned char* from) const noexcept {
    return static_cast<value_type>(gather<value_type>(from, size_) << shift_);
  }
  /// And back.
  void take(unsigned char* to, value_type whole) const noexcept {
    scatter(to, static_cast<value_type>(whole >> shift_), size_);
  }
  /// The bytes of the object alone.
  value_type of(value_type whole) const noexcept { return whole & mask(); }
  /// The word with what placed() made in their place.
  value_type with(value_type whole, value_type placed) const noexcept {
    return static_cast<value_type>((whole & static_cast<value_type>(~mask())) | placed);
  }

 private:
  value_type mask() const noexcept {
    constexpr auto all = static_cast<value_type>(~value_type{0});
    return static_cast<value_type>(all >> (Width - size_) * 8 << shift_);
  }

  unsigned shift_;
  size_t size_;
};

template <>
class part_of_word<16> {
 public:
  using value_type = word128;

  part_of_word(uintptr_t address, size_t size) noexcept
      : before_(static_cast<unsigned>(address % 16) * 8),
        behind_(128 - before_ - static_cast<unsigned>(size) * 8),
        size_(size) {}

  value_type placed(const unsigned char* from) const noexcept {
    if (size_ >= 8) {
      return joined_halves(read_private<word64>(from) << before_,
                           read_private<word64>(from + size_ - 8) >> behind_);
    }
    const auto value = gather<word64>(from, size_);
    return joined_halves(value << before_, value >> (64 - before_));
  }
  void take(unsigned char* to, value_type whole) const noexcept {
    const word64 low = low_half(whole);
    const word64 high = high_half(whole);
    // In two steps, for one of 64 bits would be none.
    const word64 first = low >> before_ | high << 1 << (63 - before_);
    if (size_ >= 8) {
      write_private(to, first);
      write_private(to + size_ - 8, high << behind_ | low >> 1 >> (63 - behind_));
    } else {
      scatter(to, first, size_);
    }
  }
  value_type of(value_type whole) const noexcept { return whole & mask(); }
  value_type with(value_type whole, value_type placed) const noexcept {
    return (whole & ~mask()) | placed;
  }

 private:
  value_type mask() const noexcept {
    constexpr auto all = ~word64{0};
    return joined_halves(all << before_, all >> behind_);
  }

  // Bits of the low half that are not the object's, and of the high one: 0 to 56 each.
  unsigned before_;
  unsigned behind_;
  size_t size_;
};

}  // namespace fencepost::atomics
