// SPDX-License-Identifier: MIT
//
// Atomic objects of any size at any address.
//
// How an object is accessed is decided in one place, place_of(), from its address and size alone,
// and every operation asks it: an object that one operation changes with an instruction and another
// under a lock would be atomic in neither. An object that lies within an aligned word which the
// processor can compare and exchange is accessed through that word, whatever its own size: the
// bytes around it are exchanged with what they were. All others are accessed under locks.
#pragma once

#include "private_bytes.hpp"
#include "under_locks.hpp"
#include "word.hpp"
#include "word16.hpp"

namespace fencepost::atomics {

template <unsigned Size>
struct word_operations : word<Size> {};
template <>
struct word_operations<16> : word16 {};

/// Whether an object is a word of 1, 2, 4 or 8 bytes by itself, as nearly all that small are.
[[gnu::always_inline]] inline bool is_word(uintptr_t address, size_t size) noexcept {
  return size - 1 < 8 && ((size | address) & (size - 1)) == 0;
}

/// The width of the aligned word that serves an object, or 0 if locks do.
[[gnu::always_inline]] inline unsigned place_of(uintptr_t address, size_t size) noexcept {
  if (is_word(address, size)) return static_cast<unsigned>(size);
  if (size > 16 || size == 0) return 0;
  if (address % 4 + size <= 4) return 4;
  if (address % 8 + size <= 8) return 8;
  return __builtin_expect(address % 16 + size <= 16 && word16::is_native(), 1) ? 16 : 0;
}

/// An object that is an aligned word.
template <unsigned Width>
class whole_word {
  using operations = word_operations<Width>;
  using value_type = typename operations::value_type;

 public:
  explicit whole_word(uintptr_t address) noexcept : at_(reinterpret_cast<value_type*>(address)) {}

  template <int Order>
  void load(unsigned char* result) const noexcept {
    write_private(result, operations::template load<Order>(at_));
  }

  template <int Order>
  void store(const unsigned char* value) const noexcept {
    operations::template store<Order>(at_, read_private<value_type>(value));
  }

  template <int Order>
  void exchange(const unsigned char* value, unsigned char* result) const noexcept {
    write_private(result,
                  operations::template exchange<Order>(at_, read_private<value_type>(value)));
  }

  template <int Order>
  bool compare_exchange(unsigned char* expected, const unsigned char* value) const noexcept {
    auto seen = read_private<value_type>(expected);
    if (operations::template compare_exchange<Order>(at_, seen, read_private<value_type>(value))) {
      return true;
    }
    write_private(expected, seen);
    return false;
  }

 private:
  value_type* at_;
};

/// An object of some of the bytes of an aligned word.
template <unsigned Width>
class within_word {
  using operations = word_operations<Width>;
  using value_type = typename operations::value_type;

 public:
  within_word(uintptr_t address, size_t size) noexcept
      : at_(reinterpret_cast<value_type*>(address & ~uintptr_t{Width - 1})),
        shift_(static_cast<unsigned>(address % Width) * 8),
        size_(static_cast<unsigned>(size)) {}

  template <int Order>
  void load(unsigned char* result) const noexcept {
    scatter(result, part(operations::template load<Order>(at_)), size_);
  }

  template <int Order>
  void store(const unsigned char* value) const noexcept {
    replace<Order>(gather<value_type>(value, size_));
  }

  template <int Order>
  void exchange(const unsigned char* value, unsigned char* result) const noexcept {
    scatter(result, part(replace<Order>(gather<value_type>(value, size_))), size_);
  }

  template <int Order>
  bool compare_exchange(unsigned char* expected, const unsigned char* value) const noexcept {
    const auto wanted = gather<value_type>(expected, size_);
    const auto desired = gather<value_type>(value, size_);
    value_type seen = operations::guess(at_);
    for (;;) {
      // Where the object differs already, the word exchanged with itself is the ordered load.
      const bool equal = part(seen) == wanted;
      if (operations::template compare_exchange<Order>(at_, seen,
                                                       equal ? with(seen, desired) : seen)) {
        if (equal) return true;
        break;
      }
    }
    scatter(expected, part(seen), size_);
    return false;
  }

 private:
  value_type mask() const noexcept {
    const auto all = static_cast<value_type>(~value_type{0});
    return static_cast<value_type>(
        static_cast<value_type>(~static_cast<value_type>(all << size_ * 8)) << shift_);
  }
  value_type part(value_type whole) const noexcept {
    return static_cast<value_type>(static_cast<value_type>(whole & mask()) >> shift_);
  }
  value_type with(value_type whole, value_type desired) const noexcept {
    return static_cast<value_type>((whole & static_cast<value_type>(~mask())) |
                                   static_cast<value_type>(desired << shift_));
  }
  template <int Order>
  value_type replace(value_type desired) const noexcept {
    value_type seen = operations::guess(at_);
    while (!operations::template compare_exchange<Order>(at_, seen, with(seen, desired))) continue;
    return seen;
  }

  value_type* at_;
  unsigned shift_;
  unsigned size_;
};

/// Calls one of three functions, as place_of() says: with whole_word<Width>, which needs no more
/// registers than a function has for nothing; with nothing, for all that needs more, which is
/// to be a function of its own; and from there access_rest() with the other kinds of places.
template <class InWord, class Rest>
[[gnu::always_inline]] inline auto access(uintptr_t address, size_t size, InWord in_word,
                                          Rest rest) noexcept {
  if (!is_word(address, size)) return rest();
  switch (size) {
    case 1:
      return in_word(whole_word<1>(address));
    case 2:
      return in_word(whole_word<2>(address));
    case 4:
      return in_word(whole_word<4>(address));
    default:
      return in_word(whole_word<8>(address));
  }
}

/// Calls one of two functions: with whole_word<16> or within_word<Width>, or with under_locks.
template <class InWord, class Locked>
[[gnu::always_inline]] inline auto access_rest(uintptr_t address, size_t size, InWord in_word,
                                               Locked locked) noexcept {
  switch (place_of(address, size)) {
    case 4:
      return in_word(within_word<4>(address, size));
    case 8:
      return in_word(within_word<8>(address, size));
    case 16:
      if (size == 16) return in_word(whole_word<16>(address));
      return in_word(within_word<16>(address, size));
    default:
      return locked(under_locks(address, size));
  }
}

}  // namespace fencepost::atomics
