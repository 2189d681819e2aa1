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

#include "lock_table.hpp"
#include "word.hpp"
#include "word16.hpp"

namespace fencepost::atomics {

template <unsigned Size>
struct word_operations : word<Size> {};
template <>
struct word_operations<16> : word16 {};

/// The width of the aligned word that serves an object, or 0 if locks do.
[[gnu::always_inline]] inline unsigned place_of(uintptr_t address, size_t size) noexcept {
  if (size > 16 || size == 0) return 0;
  for (unsigned width = 1; width <= 8; width *= 2) {
    if (address % width + size <= width) return width;
  }
  return address % 16 + size <= 16 && word16::is_native() ? 16 : 0;
}

/// Bytes of a private buffer, which may lie anywhere. 16 in two halves: compilers would call
/// memcpy.
template <class Word>
[[gnu::always_inline]] inline Word read_private(const unsigned char* from) noexcept {
  if constexpr (sizeof(Word) == 16) {
    return joined_halves(read_private<word64>(from), read_private<word64>(from + 8));
  } else {
    Word value;
    __builtin_memcpy(&value, from, sizeof value);
    return value;
  }
}
template <class Word>
[[gnu::always_inline]] inline void write_private(unsigned char* to, Word value) noexcept {
  if constexpr (sizeof(Word) == 16) {
    write_private(to, low_half(value));
    write_private(to + 8, high_half(value));
  } else {
    __builtin_memcpy(to, &value, sizeof value);
  }
}

/// Up to 16 bytes of a private buffer as the low-order bytes of a word, and back. The loops are
/// short, and must not become calls of memcpy.
template <class Word>
[[gnu::always_inline]] inline Word gather(const unsigned char* from, size_t size) noexcept {
  if (size == sizeof(Word)) return read_private<Word>(from);
  Word value = 0;
  for (size_t n = size; n-- != 0;) value = static_cast<Word>(value << 7 << 1) | from[n];
  return value;
}
template <class Word>
[[gnu::always_inline]] inline void scatter(unsigned char* to, Word value, size_t size) noexcept {
  if (size == sizeof(Word)) return write_private(to, value);
  for (size_t n = 0; n != size; ++n, value = static_cast<Word>(value >> 7 >> 1)) {
    asm volatile("" ::: "memory");
    to[n] = static_cast<unsigned char>(value);
  }
}

/// An object within an aligned word of so many bytes.
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
    const auto desired = gather<value_type>(value, size_);
    if (size_ == Width) return operations::template store<Order>(at_, desired);
    replace<Order>(desired);
  }

  template <int Order>
  void exchange(const unsigned char* value, unsigned char* result) const noexcept {
    const auto desired = gather<value_type>(value, size_);
    scatter(result,
            size_ == Width ? operations::template exchange<Order>(at_, desired)
                           : part(replace<Order>(desired)),
            size_);
  }

  template <int Order>
  bool compare_exchange(unsigned char* expected, const unsigned char* value) const noexcept {
    const auto wanted = gather<value_type>(expected, size_);
    const auto desired = gather<value_type>(value, size_);
    value_type seen = size_ == Width ? wanted : operations::guess(at_);
    for (;;) {
      // Where the object differs already, the word exchanged with itself is the ordered load.
      const bool equal = part(seen) == wanted;
      if (operations::template compare_exchange<Order>(at_, seen,
                                                       equal ? with(seen, desired) : seen)) {
        if (equal) return true;
        break;
      }
      if (size_ == Width) break;
    }
    scatter(expected, part(seen), size_);
    return false;
  }

 private:
  value_type mask() const noexcept {
    const auto all = static_cast<value_type>(~value_type{0});
    return size_ == Width
               ? all
               : static_cast<value_type>(
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

/// An object whose bytes are read and written under locks, and read without.
class under_locks {
 public:
  under_locks(uintptr_t address, size_t size) noexcept
      : object_(reinterpret_cast<unsigned char*>(address)), size_(size) {}

  void load(unsigned char* result, int order) const noexcept {
    fence_before(order);
    const auto copy = [this, result]() noexcept {
      for_each_piece(
          [result](auto* piece, size_t at) noexcept { write_private(result + at, read(piece)); });
    };
    const bool within_line = reinterpret_cast<uintptr_t>(object_) % line_size + size_ <= line_size;
    if (!within_line || !read_unlocked(object_, copy)) {
      const held_lines held(object_, size_);
      copy();
    }
    if (order == __ATOMIC_SEQ_CST) fence_after_load();
  }

  void store(const unsigned char* value, int order) const noexcept {
    fence_before(order);
    {
      const held_lines held(object_, size_);
      held.begin_writing();
      for_each_piece([value](auto* piece, size_t at) noexcept { write_from(piece, value + at); });
      held.end_writing();
    }
    fence_after(order);
  }

  /// `value` and `result` may be the same.
  void exchange(const unsigned char* value, unsigned char* result, int order) const noexcept {
    fence_before(order);
    {
      const held_lines held(object_, size_);
      held.begin_writing();
      for_each_piece([value, result](auto* piece, size_t at) noexcept {
        const auto before = read(piece);
        write_from(piece, value + at);
        write_private(result + at, before);
      });
      held.end_writing();
    }
    fence_after(order);
  }

  bool compare_exchange(unsigned char* expected, const unsigned char* value,
                        int order) const noexcept {
    fence_before(order);
    bool equal = true;
    {
      const held_lines held(object_, size_);
      for_each_piece([expected, &equal]<class Word>(const Word* piece, size_t at) noexcept {
        equal &= read(piece) == read_private<Word>(expected + at);
      });
      if (equal) {
        held.begin_writing();
        for_each_piece([value](auto* piece, size_t at) noexcept { write_from(piece, value + at); });
        held.end_writing();
      } else {
        for_each_piece([expected](auto* piece, size_t at) noexcept {
          write_private(expected + at, read(piece));
        });
      }
    }
    fence_after(order);
    return equal;
  }

 private:
  // relaxed: readers without a lock look at the object while it is written, and find out later.
  template <class Word>
  [[gnu::always_inline]] static Word read(const Word* piece) noexcept {
    return __atomic_load_n(piece, __ATOMIC_RELAXED);
  }
  template <class Word>
  [[gnu::always_inline]] static void write_from(Word* piece, const unsigned char* value) noexcept {
    __atomic_store_n(piece, read_private<Word>(value), __ATOMIC_RELAXED);
  }

  /// Goes through the object by aligned words, and by bytes at its ends.
  template <class Action>
  [[gnu::always_inline]] void for_each_piece(Action action) const noexcept {
    size_t at = 0;
    for (; at != size_ && reinterpret_cast<uintptr_t>(object_ + at) % 8 != 0; ++at) {
      action(object_ + at, at);
    }
    for (; size_ - at >= 8; at += 8) action(reinterpret_cast<word64*>(object_ + at), at);
    for (; at != size_; ++at) action(object_ + at, at);
  }

  /// A load ends with a read-modify-write of a lock or with none.
  static void fence_after_load() noexcept {
#if !defined(__x86_64__)
    std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
  }

  unsigned char* object_;
  size_t size_;
};

/// Calls one of two functions: with within_word<Width> or with under_locks.
template <class InWord, class Locked>
[[gnu::always_inline]] inline auto access(const volatile void* object, size_t size, InWord in_word,
                                          Locked locked) noexcept {
  const auto address = reinterpret_cast<uintptr_t>(object);
  switch (place_of(address, size)) {
    case 1:
      return in_word(within_word<1>(address, size));
    case 2:
      return in_word(within_word<2>(address, size));
    case 4:
      return in_word(within_word<4>(address, size));
    case 8:
      return in_word(within_word<8>(address, size));
    case 16:
      return in_word(within_word<16>(address, size));
    default:
      return locked(under_locks(address, size));
  }
}

}  // namespace fencepost::atomics
