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

#include "part_of_word.hpp"
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

/// Whether it is a word of 16 bytes by itself that the processor is known to serve.
[[gnu::always_inline]] inline bool is_word16(uintptr_t address, size_t size) noexcept {
  return size == 16 && address % 16 == 0 && word16::is_known_native();
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
      : at_(reinterpret_cast<value_type*>(address & ~uintptr_t{Width - 1})), part_(address, size) {}

  template <int Order>
  void load(unsigned char* result) const noexcept {
    part_.take(result, operations::template load<Order>(at_));
  }

  template <int Order>
  void store(const unsigned char* value) const noexcept {
    replace<Order>(value);
  }

  template <int Order>
  void exchange(const unsigned char* value, unsigned char* result) const noexcept {
    part_.take(result, replace<Order>(value));
  }

  template <int Order>
  bool compare_exchange(unsigned char* expected, const unsigned char* value) const noexcept {
    const value_type wanted = part_.placed(expected);
    const value_type desired = part_.placed(value);
    value_type seen = operations::guess(at_);
    for (;;) {
      // Where the object differs already, the word exchanged with itself is the ordered load.
      const bool equal = part_.of(seen) == wanted;
      if (operations::template compare_exchange<Order>(at_, seen,
                                                       equal ? part_.with(seen, desired) : seen)) {
        if (equal) return true;
        break;
      }
    }
    part_.take(expected, seen);
    return false;
  }

 private:
  /// Returns the word as it was.
  template <int Order>
  value_type replace(const unsigned char* value) const noexcept {
    const value_type desired = part_.placed(value);
    value_type seen = operations::guess(at_);
    while (!operations::template compare_exchange<Order>(at_, seen, part_.with(seen, desired))) {
      continue;
    }
    return seen;
  }

  value_type* at_;
  part_of_word<Width> part_;
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

/// Calls one of two functions: with within_word<Width>, which serves whole words as well; or where
/// locks serve.
template <class InWord, class Locked>
[[gnu::always_inline]] inline auto access_rest(uintptr_t address, size_t size, InWord in_word,
                                               Locked locked) noexcept {
  switch (place_of(address, size)) {
    case 4:
      return in_word(within_word<4>(address, size));
    case 8:
      return in_word(within_word<8>(address, size));
    case 16:
      return in_word(within_word<16>(address, size));
    default:
      return locked();
  }
}

}  // namespace fencepost::atomics
