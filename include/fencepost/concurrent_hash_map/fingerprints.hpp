// SPDX-License-Identifier: MIT
//
// The fingerprints of a bucket: of each entry one byte of its hash, and what is to be known of the
// bucket, in 16 bytes that lie apart from the entries. Sixteen times as many of them fit into a
// cache as of entries, and a lookup of what is not there mostly needs nothing else.
//
// They are two words, for that is what processors read and write at once. Writers, who have locked
// the bucket's stripe, change one at a time.
//
// Source: the bytes that are compared sixteen at a time are those of M. Kulukundis, "Designing a
// Fast, Efficient, Cache-friendly Hash Table, Step by Step" (CppCon 2017).
#pragma once

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <atomic>
#include <cstdint>

namespace fencepost::hash_map {

using word = std::uint64_t;

/// What an entry is sought by first. 0: there is none.
using fingerprint = std::uint8_t;

/// Which bytes of a word are this one, a bit for each. Without carries from one byte to the next,
/// so that no byte is taken for another.
[[nodiscard]] constexpr unsigned equal_bytes(word bytes, fingerprint one) noexcept {
  constexpr word ones = 0x0101010101010101;
  constexpr word sevens = 0x7F * ones;
  const word differing = bytes ^ one * ones;
  const word zeros = ~(((differing & sevens) + sevens) | differing | sevens) >> 7;
  // Gathers bit 8n as bit 56 + n.
  return static_cast<unsigned>((zeros * 0x0102040810204080) >> 56);
}
static_assert(equal_bytes(0x0100FF0180010201, 0x01) == 0b10010101);
static_assert(equal_bytes(0x0100FF0180010200, 0x00) == 0b01000001);
static_assert(equal_bytes(0xFFFFFFFFFFFFFFFF, 0xFF) == 0xFF);

class alignas(16) fingerprints {
 public:
  static constexpr unsigned places = 15;

  /// What is to be known of the part of the bucket that they belong to.
  enum state : word {
    /// Something may be in the parts behind it.
    has_more = 1,
    /// All is in the next table, and nothing is here.
    has_moved = 2,
  };

  /// As they were seen.
  struct look {
    word low;
    word high;

    [[nodiscard]] unsigned equal_to(fingerprint one) const noexcept {
#if defined(__SSE2__)
      const __m128i all = _mm_set_epi64x(static_cast<long long>(high), static_cast<long long>(low));
      const __m128i same = _mm_cmpeq_epi8(all, _mm_set1_epi8(static_cast<char>(one)));
      return static_cast<unsigned>(_mm_movemask_epi8(same)) & all_places;
#else
      return (equal_bytes(low, one) | equal_bytes(high, one) << 8) & all_places;
#endif
    }
    /// Where there is none.
    [[nodiscard]] unsigned free() const noexcept { return equal_to(0); }
    [[nodiscard]] unsigned taken() const noexcept { return ~free() & all_places; }
    /// One or more of enum state; 0: what is not here is nowhere.
    [[nodiscard]] word states() const noexcept { return high >> state_shift; }
  };

  // For readers.

  [[nodiscard]] look seen() const noexcept {
    // acquire: pairs with is_moved(): who finds it empty for that sees that it has moved.
    // Proof: found_while_growing.
    const word low = words_[0].load(std::memory_order_acquire);
    // acquire: pairs with flip() and is_moved(): the entries that are there, what is in the parts
    // behind, and what was here in the next table. Proof: found_while_growing.
    return {low, words_[1].load(std::memory_order_acquire)};
  }

  /// Of one place.
  [[nodiscard]] fingerprint at(unsigned place) const noexcept {
    // acquire: pairs with put(): the words of the entry as they were made. Proof: found_whole.
    return byte_of(words_[place / 8].load(std::memory_order_acquire), place);
  }

  // For writers: all loads are relaxed, for the stripe is locked.

  [[nodiscard]] look own() const noexcept {
    return {words_[0].load(std::memory_order_relaxed), words_[1].load(std::memory_order_relaxed)};
  }

  /// Puts one where there is none.
  void put(unsigned place, fingerprint fresh) noexcept { flip(place / 8, shifted(fresh, place)); }

  void remove(unsigned place) noexcept {
    const word now = words_[place / 8].load(std::memory_order_relaxed);
    flip(place / 8, shifted(byte_of(now, place), place));
  }

  void says_more(bool more) noexcept {
    if (((own().states() & has_more) != 0) != more) flip(1, has_more << state_shift);
  }

  /// Nothing is or changes here any more.
  void is_moved() noexcept {
    // release: who sees it finds in the next table what was here. Pairs with seen().
    // Proof: found_while_growing[second_word].
    words_[1].store(has_moved << state_shift, std::memory_order_release);
    // release: who sees it sees the other word. Pairs with seen(). Proof: found_while_growing.
    words_[0].store(0, std::memory_order_release);
  }

 private:
  static constexpr unsigned all_places = (1U << places) - 1;
  static constexpr unsigned state_shift = 8 * (places - 8);

  static constexpr word shifted(fingerprint one, unsigned place) noexcept {
    return static_cast<word>(one) << place % 8 * 8;
  }
  static constexpr fingerprint byte_of(word bytes, unsigned place) noexcept {
    return static_cast<fingerprint>(bytes >> place % 8 * 8);
  }

  void flip(unsigned number, word bits) noexcept {
    std::atomic<word>& one = words_[number];
    // release: pairs with seen() and at(): the words of the entries that are there, and what hangs
    // behind. Proof: found_whole.
    one.store(one.load(std::memory_order_relaxed) ^ bits, std::memory_order_release);
  }

  std::atomic<word> words_[2]{};
};

static_assert(sizeof(fingerprints) == 16);

}  // namespace fencepost::hash_map
