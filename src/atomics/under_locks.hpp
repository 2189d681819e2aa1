// SPDX-License-Identifier: MIT
//
// An object whose bytes are read and written under locks, and read without.
//
// Each operation is written once, for the lines that the object touches and the pieces that it is
// made of. Nearly all objects are whole words within one line: that case is compiled by itself, in
// line, and has one lock and no loop over bytes; all others share one that is called.
//
// A compare-exchange takes the lock even if it fails. To look first without one makes it dearer for
// those that succeed, and takes the object away from whoever is writing it: measured, 15 to 40
// percent fewer succeed.
#pragma once

#include "lock_table.hpp"
#include "private_bytes.hpp"

namespace fencepost::atomics {

/// An object's bytes as aligned words.
struct whole_words {
  template <class Action>
  [[gnu::always_inline]] void for_each(Action action) const noexcept {
    for (size_t at = 0; at != size; at += 8) action(reinterpret_cast<word64*>(object + at), at);
  }
  unsigned char* object;
  size_t size;
};

/// An object's bytes as aligned words, and single bytes at its ends.
struct words_and_bytes {
  template <class Action>
  [[gnu::always_inline]] void for_each(Action action) const noexcept {
    size_t at = 0;
    for (; at != size && reinterpret_cast<uintptr_t>(object + at) % 8 != 0; ++at) {
      action(object + at, at);
    }
    for (; size - at >= 32; at += 32) {
      action(reinterpret_cast<word64*>(object + at), at);
      action(reinterpret_cast<word64*>(object + at + 8), at + 8);
      action(reinterpret_cast<word64*>(object + at + 16), at + 16);
      action(reinterpret_cast<word64*>(object + at + 24), at + 24);
    }
    for (; size - at >= 8; at += 8) action(reinterpret_cast<word64*>(object + at), at);
    for (; at != size; ++at) action(object + at, at);
  }
  unsigned char* object;
  size_t size;
};

class under_locks {
 public:
  under_locks(uintptr_t address, size_t size) noexcept
      : object_(reinterpret_cast<unsigned char*>(address)), size_(size) {
    note_object(address);
  }

  [[gnu::always_inline]] void load(unsigned char* result, int order) const noexcept {
    if (is_whole_words_of_one_line()) [[likely]] {
      load_as<one_line, whole_words>(result, order);
    } else {
      load_elsewhere(*this, result, order);
    }
  }

  [[gnu::always_inline]] void store(const unsigned char* value, int order) const noexcept {
    if (is_whole_words_of_one_line()) [[likely]] {
      store_as<one_line, whole_words>(value, order);
    } else {
      store_elsewhere(*this, value, order);
    }
  }

  /// `value` and `result` may be the same.
  [[gnu::always_inline]] void exchange(const unsigned char* value, unsigned char* result,
                                       int order) const noexcept {
    if (is_whole_words_of_one_line()) [[likely]] {
      exchange_as<one_line, whole_words>(value, result, order);
    } else {
      exchange_elsewhere(*this, value, result, order);
    }
  }

  [[gnu::always_inline]] bool compare_exchange(unsigned char* expected, const unsigned char* value,
                                               int order) const noexcept {
    if (is_whole_words_of_one_line()) [[likely]] {
      return compare_exchange_as<one_line, whole_words>(expected, value, order);
    }
    return compare_exchange_elsewhere(*this, expected, value, order);
  }

 private:
  bool is_within_one_line() const noexcept {
    return reinterpret_cast<uintptr_t>(object_) % line_size + size_ <= line_size;
  }
  bool is_whole_words_of_one_line() const noexcept {
    return (reinterpret_cast<uintptr_t>(object_) | size_) % 8 == 0 && is_within_one_line();
  }

  // By value: the address of an object that one of these has would keep it in memory.
  [[gnu::noinline]] static void load_elsewhere(under_locks at, unsigned char* result,
                                               int order) noexcept {
    at.load_as<all_lines, words_and_bytes>(result, order);
  }
  [[gnu::noinline]] static void store_elsewhere(under_locks at, const unsigned char* value,
                                                int order) noexcept {
    at.store_as<all_lines, words_and_bytes>(value, order);
  }
  [[gnu::noinline]] static void exchange_elsewhere(under_locks at, const unsigned char* value,
                                                   unsigned char* result, int order) noexcept {
    at.exchange_as<all_lines, words_and_bytes>(value, result, order);
  }
  [[gnu::noinline]] static bool compare_exchange_elsewhere(under_locks at, unsigned char* expected,
                                                           const unsigned char* value,
                                                           int order) noexcept {
    return at.compare_exchange_as<all_lines, words_and_bytes>(expected, value, order);
  }

  template <class Lines, class Pieces>
  [[gnu::always_inline]] void load_as(unsigned char* result, int order) const noexcept {
    fence_before(order);
    if (!is_within_one_line() || !load_unlocked<Pieces>(result)) {
      load_locked<Lines, Pieces>(*this, result);
    }
    fence_after_load(order);
  }
  template <class Pieces>
  [[gnu::always_inline]] bool load_unlocked(unsigned char* result) const noexcept {
    return read_unlocked(object_, [=, *this]() noexcept { read_all<Pieces>(result); });
  }
  template <class Lines, class Pieces>
  [[gnu::noinline]] static void load_locked(under_locks at, unsigned char* result) noexcept {
    const held<Lines> locks(Lines(at.object_, at.size_));
    at.read_all<Pieces>(result);
  }

  template <class Lines, class Pieces>
  [[gnu::always_inline]] void store_as(const unsigned char* value, int order) const noexcept {
    fence_before(order);
    {
      const held<Lines> locks(Lines(object_, size_));
      write<Pieces>(locks, value);
    }
    fence_after(order);
  }

  template <class Lines, class Pieces>
  [[gnu::always_inline]] void exchange_as(const unsigned char* value, unsigned char* result,
                                          int order) const noexcept {
    fence_before(order);
    {
      const held<Lines> locks(Lines(object_, size_));
      locks.begin_writing();
      Pieces{object_, size_}.for_each([=](auto* piece, size_t at) noexcept {
        const auto before = read(piece);
        write_from(piece, value + at);
        write_private(result + at, before);
      });
      locks.end_writing();
    }
    fence_after(order);
  }

  template <class Lines, class Pieces>
  [[gnu::always_inline]] bool compare_exchange_as(unsigned char* expected,
                                                  const unsigned char* value,
                                                  int order) const noexcept {
    fence_before(order);
    bool equal = false;
    {
      const held<Lines> locks(Lines(object_, size_));
      equal = is<Pieces>(expected);
      if (equal) {
        write<Pieces>(locks, value);
      } else {
        read_all<Pieces>(expected);
      }
    }
    fence_after(order);
    return equal;
  }

  template <class Pieces>
  [[gnu::always_inline]] void read_all(unsigned char* result) const noexcept {
    Pieces{object_, size_}.for_each(
        [=](auto* piece, size_t at) noexcept { write_private(result + at, read(piece)); });
  }

  template <class Pieces>
  [[gnu::always_inline]] bool is(const unsigned char* expected) const noexcept {
    word64 difference = 0;
    Pieces{object_, size_}.for_each(
        [=, &difference]<class Word>(const Word* piece, size_t at) noexcept {
          difference |= static_cast<word64>(read(piece) ^ read_private<Word>(expected + at));
        });
    return difference == 0;
  }

  template <class Pieces, class Locks>
  [[gnu::always_inline]] void write(const Locks& locks, const unsigned char* value) const noexcept {
    locks.begin_writing();
    Pieces{object_, size_}.for_each(
        [=](auto* piece, size_t at) noexcept { write_from(piece, value + at); });
    locks.end_writing();
  }

  // relaxed: readers without a lock look at the object while it is written, and find out later.
  template <class Word>
  [[gnu::always_inline]] static Word read(const Word* piece) noexcept {
    return __atomic_load_n(piece, __ATOMIC_RELAXED);
  }
  template <class Word>
  [[gnu::always_inline]] static void write_from(Word* piece, const unsigned char* value) noexcept {
    __atomic_store_n(piece, read_private<Word>(value), __ATOMIC_RELAXED);
  }

  unsigned char* object_;
  size_t size_;
};

}  // namespace fencepost::atomics
