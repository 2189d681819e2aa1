// SPDX-License-Identifier: MIT
//
// An object whose bytes are read and written under locks, and read without.
//
// Each operation is written once, for the lines that the object touches and the pieces that it is
// made of. Nearly all objects are whole words within one line: that case is compiled by itself, in
// line, and has one lock and one loop; all others share one that is called.
//
// A compare-exchange takes the lock even if it fails. To look first without one makes it dearer for
// those that succeed, and takes the object away from whoever is writing it: measured, 15 to 40
// percent fewer succeed.
#pragma once

#include "lock_table/lock_table.hpp"
#include "pieces.hpp"
#include "private_bytes.hpp"

namespace fencepost::atomics {

class under_locks {
 public:
  under_locks(uintptr_t address, size_t size) noexcept
      : object_(reinterpret_cast<unsigned char*>(address)), size_(size) {
    note_object(address);
  }

  [[gnu::always_inline]] void load(unsigned char* result, int order) const noexcept {
    if (is_whole_words_of_one_line()) [[likely]] {
      load_as<whole_words>(one_line(address()), result, order);
    } else {
      load_elsewhere(*this, result, order);
    }
  }

  [[gnu::always_inline]] void store(const unsigned char* value, int order) const noexcept {
    if (is_whole_words_of_one_line()) [[likely]] {
      store_as<whole_words>(one_line(address()), value, order);
    } else {
      store_elsewhere(*this, value, order);
    }
  }

  /// `value` and `result` may be the same.
  [[gnu::always_inline]] void exchange(const unsigned char* value, unsigned char* result,
                                       int order) const noexcept {
    if (is_whole_words_of_one_line()) [[likely]] {
      exchange_as<whole_words>(one_line(address()), value, result, order);
    } else {
      exchange_elsewhere(*this, value, result, order);
    }
  }

  [[gnu::always_inline]] bool compare_exchange(unsigned char* expected, const unsigned char* value,
                                               int order) const noexcept {
    if (is_whole_words_of_one_line()) [[likely]] {
      return compare_exchange_as<whole_words>(one_line(address()), expected, value, order);
    }
    return compare_exchange_elsewhere(*this, expected, value, order);
  }

 private:
  bool is_whole_words_of_one_line() const noexcept {
    return (address() | size_) % 8 == 0 && address() % line_size + size_ <= line_size;
  }
  uintptr_t address() const noexcept { return reinterpret_cast<uintptr_t>(object_); }

  /// Calls the function with the lines that the object touches.
  template <class Action>
  [[gnu::always_inline]] auto with_lines(Action action) const noexcept {
    switch (lines_of(address(), size_)) {
      case 0:
      case 1:
        return action(one_line(address()));
      case 2:
        return action(two_lines(address()));
      default:
        return action(many_lines(address(), size_));
    }
  }

  // By value: the address of an object that one of these has would keep it in memory.
  [[gnu::noinline]] static void load_elsewhere(under_locks at, unsigned char* result,
                                               int order) noexcept {
    at.with_lines([=](auto lines) noexcept { at.load_as<any_pieces>(lines, result, order); });
  }
  [[gnu::noinline]] static void store_elsewhere(under_locks at, const unsigned char* value,
                                                int order) noexcept {
    at.with_lines([=](auto lines) noexcept { at.store_as<any_pieces>(lines, value, order); });
  }
  [[gnu::noinline]] static void exchange_elsewhere(under_locks at, const unsigned char* value,
                                                   unsigned char* result, int order) noexcept {
    at.with_lines(
        [=](auto lines) noexcept { at.exchange_as<any_pieces>(lines, value, result, order); });
  }
  [[gnu::noinline]] static bool compare_exchange_elsewhere(under_locks at, unsigned char* expected,
                                                           const unsigned char* value,
                                                           int order) noexcept {
    return at.with_lines([=](auto lines) noexcept {
      return at.compare_exchange_as<any_pieces>(lines, expected, value, order);
    });
  }

  template <class Pieces, class Lines>
  [[gnu::always_inline]] void load_as(const Lines& lines, unsigned char* result,
                                      int order) const noexcept {
    fence_before(order);
    if (!load_unlocked<Pieces>(lines, result)) load_locked<Pieces>(*this, lines, result);
    fence_after_load(order);
  }
  template <class Pieces, class Lines>
  [[gnu::always_inline]] bool load_unlocked(const Lines& lines,
                                            unsigned char* result) const noexcept {
    return read_unlocked(lines, address(), [=, *this]() noexcept { read_all<Pieces>(result); });
  }
  /// Of many lines too much would be read for nothing whenever somebody writes anywhere there.
  template <class Pieces>
  [[gnu::always_inline]] bool load_unlocked(const many_lines&, unsigned char*) const noexcept {
    return false;
  }
  template <class Pieces, class Lines>
  [[gnu::noinline]] static void load_locked(under_locks at, Lines lines,
                                            unsigned char* result) noexcept {
    const held<Lines> locks(lines);
    at.read_all<Pieces>(result);
  }

  template <class Pieces, class Lines>
  [[gnu::always_inline]] void store_as(const Lines& lines, const unsigned char* value,
                                       int order) const noexcept {
    fence_before(order);
    {
      const held<Lines> locks(lines);
      write<Pieces>(locks, value);
    }
    fence_after(order);
  }

  template <class Pieces, class Lines>
  [[gnu::always_inline]] void exchange_as(const Lines& lines, const unsigned char* value,
                                          unsigned char* result, int order) const noexcept {
    fence_before(order);
    {
      const held<Lines> locks(lines);
      locks.begin_writing();
      Pieces{object_, size_}.for_each([=]<class Piece>(Piece* piece, size_t at) noexcept {
        const Piece before = read_piece(piece);
        write_piece(piece, read_private<Piece>(value + at));
        write_private(result + at, before);
      });
      locks.end_writing();
    }
    fence_after(order);
  }

  template <class Pieces, class Lines>
  [[gnu::always_inline]] bool compare_exchange_as(const Lines& lines, unsigned char* expected,
                                                  const unsigned char* value,
                                                  int order) const noexcept {
    fence_before(order);
    bool equal = false;
    {
      const held<Lines> locks(lines);
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
        [=](auto* piece, size_t at) noexcept { write_private(result + at, read_piece(piece)); });
  }

  template <class Pieces>
  [[gnu::always_inline]] bool is(const unsigned char* expected) const noexcept {
    differences found;
    Pieces{object_, size_}.for_each(
        [=, &found]<class Piece>(const Piece* piece, size_t at) noexcept {
          found.look(read_piece(piece), read_private<Piece>(expected + at));
        });
    return !found.any();
  }

  template <class Pieces, class Locks>
  [[gnu::always_inline]] void write(const Locks& locks, const unsigned char* value) const noexcept {
    locks.begin_writing();
    Pieces{object_, size_}.for_each([=]<class Piece>(Piece* piece, size_t at) noexcept {
      write_piece(piece, read_private<Piece>(value + at));
    });
    locks.end_writing();
  }

  unsigned char* object_;
  size_t size_;
};

}  // namespace fencepost::atomics
