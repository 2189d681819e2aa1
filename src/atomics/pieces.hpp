// SPDX-License-Identifier: MIT
//
// How an object under locks is cut into pieces, each of which is read and written by one
// instruction. In which order, and whether two of them are from the same moment, the locks and the
// versions of lock_table.hpp answer for: so a piece may be as large as the processor likes.
#pragma once

#include "types.hpp"

namespace fencepost::atomics {

// Two words that are moved at once: half the instructions for large objects. Checkers are shown
// single words, which they know to be atomic.
#if defined(__SSE2__) && !defined(FENCEPOST_CHECK) && !defined(__SANITIZE_THREAD__)
#define FENCEPOST_ATOMIC_PAIRS 1
#endif
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#undef FENCEPOST_ATOMIC_PAIRS
#endif
#endif
#if defined(FENCEPOST_ATOMIC_PAIRS)
struct pair {
  // Aligned as words are.
  using type [[gnu::vector_size(16), gnu::aligned(8), gnu::may_alias]] = long long;
  type both;
};
static_assert(sizeof(pair) == 16 && alignof(pair) == 8);
#endif

template <class Word>
[[gnu::always_inline]] inline Word read_piece(const Word* piece) noexcept {
  // relaxed: readers without a lock look at the object while it is written, and find out later.
  return __atomic_load_n(piece, __ATOMIC_RELAXED);
}
template <class Word>
[[gnu::always_inline]] inline void write_piece(Word* piece, Word value) noexcept {
  __atomic_store_n(piece, value, __ATOMIC_RELAXED);
}
#if defined(FENCEPOST_ATOMIC_PAIRS)
// volatile: one instruction each, for others may be writing and reading the same.
[[gnu::always_inline]] inline pair read_piece(const pair* piece) noexcept {
  return {static_cast<const volatile pair*>(piece)->both};
}
[[gnu::always_inline]] inline void write_piece(pair* piece, pair value) noexcept {
  static_cast<volatile pair*>(piece)->both = value.both;
}
#endif

/// Whether any piece differs from what was expected there.
class differences {
 public:
  template <class Word>
  [[gnu::always_inline]] void look(Word found, Word expected) noexcept {
    words_ |= static_cast<word64>(found ^ expected);
  }
  bool any() const noexcept { return in_pairs() || words_ != 0; }

#if defined(FENCEPOST_ATOMIC_PAIRS)
  [[gnu::always_inline]] void look(pair found, pair expected) noexcept {
    pairs_.both |= found.both ^ expected.both;
  }

 private:
  bool in_pairs() const noexcept { return (pairs_.both[0] | pairs_.both[1]) != 0; }
  pair pairs_{};
#else
 private:
  static constexpr bool in_pairs() noexcept { return false; }
#endif
  word64 words_ = 0;
};

/// An object's bytes as aligned words.
struct whole_words {
  template <class Action>
  [[gnu::always_inline]] void for_each(Action action) const noexcept {
    for (size_t at = 0; at != size; at += 8) action(reinterpret_cast<word64*>(object + at), at);
  }
  unsigned char* object;
  size_t size;
};

/// An object's bytes as what is aligned at its place: less than a word at either end, and as much
/// as possible in between.
struct any_pieces {
  template <class Action>
  [[gnu::always_inline]] void for_each(Action action) const noexcept {
    size_t at = 0;
    const auto take = [&]<class Piece>(Piece*) noexcept {
      action(reinterpret_cast<Piece*>(object + at), at);
      at += sizeof(Piece);
    };
    const auto up_to = [&]<class Piece>(Piece* next) noexcept {
      const bool fits = size - at >= sizeof(Piece);
      if (fits && (reinterpret_cast<uintptr_t>(object + at) & sizeof(Piece)) != 0) take(next);
    };
    const auto rest = [&]<class Piece>(Piece* next) noexcept {
      if (size - at >= sizeof(Piece)) take(next);
    };
    up_to(static_cast<word_of<1>*>(nullptr));
    up_to(static_cast<word_of<2>*>(nullptr));
    up_to(static_cast<word_of<4>*>(nullptr));
#if defined(FENCEPOST_ATOMIC_PAIRS)
    using large = pair;
#else
    using large = word64;
#endif
    auto* const next = static_cast<large*>(nullptr);
    while (size - at >= 4 * sizeof(large)) take(next), take(next), take(next), take(next);
    while (size - at >= sizeof(large)) take(next);
    rest(static_cast<word_of<8>*>(nullptr));
    rest(static_cast<word_of<4>*>(nullptr));
    rest(static_cast<word_of<2>*>(nullptr));
    rest(static_cast<word_of<1>*>(nullptr));
  }
  unsigned char* object;
  size_t size;
};

}  // namespace fencepost::atomics
