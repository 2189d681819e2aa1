// SPDX-License-Identifier: MIT
//
// A part of a bucket: fifteen places for entries, and their fingerprints.
//
// An entry is two words: a tag, by which it is sought, and a content (concurrent_hash_map/
// small_elements.hpp and allocated_elements.hpp say what they are). Three entries lie in a cache
// line.
//
// Writers hold the lock of the bucket's stripe (concurrent_hash_map/tables.hpp). Readers hold
// nothing and write nothing, and still see each change as one:
// * An entry appears by the store of its fingerprint, when both of its words are there; it goes by
//   the fingerprint, too. Its content is replaced by one store. It never changes its place.
// * So a reader can go wrong only where a place has been emptied and filled again between its look
//   at the fingerprint and at the words. Each removal is counted, beside the entries in their line.
//   Who has read the count, found the fingerprint, and read the words, looks whether the count is
//   as it was: else it begins anew. It does not wait for anybody: a writer that is stopped in its
//   middle leaves all as it was.
// * Who finds nothing need not look: what was there all the time was at its place all the time.
#pragma once

#include <atomic>
#include <cstddef>

#include "fencepost/concurrent_hash_map/fingerprints.hpp"

namespace fencepost::hash_map {

struct entry {
  word tag;
  word content;
};

/// What has become of a look.
enum class outcome : unsigned {
  found = 0,
  missing = 1,
  /// Something was removed or moved meanwhile.
  changed = 2,
};

struct further_part;

/// A cache line with three places.
class alignas(64) line {
 public:
  static constexpr unsigned places = 3;

 private:
  friend class part;
  struct place {
    std::atomic<word> tag{0};
    std::atomic<word> content{0};
  };

  place places_[places];
  std::atomic<word> removals_{0};
  // Of the first line of a part: what hangs behind it.
  std::atomic<further_part*> next_{nullptr};
};
static_assert(sizeof(line) == 64);

/// Where a part lies, or nowhere.
class part {
 public:
  static constexpr unsigned places = fingerprints::places;
  static constexpr unsigned lines = places / line::places;

  part() = default;
  part(fingerprints& prints, line* first) noexcept : prints_(&prints), lines_(first) {}
  explicit part(further_part& one) noexcept;

  [[nodiscard]] explicit operator bool() const noexcept { return prints_ != nullptr; }
  [[nodiscard]] bool operator==(const part& other) const noexcept = default;

  [[nodiscard]] fingerprints& prints() const noexcept { return *prints_; }

  // For readers.

  /// The content of the entry at a place where the fingerprint was seen, if it is of the tag.
  [[nodiscard, gnu::always_inline]] outcome find(unsigned number, fingerprint print, word tag,
                                                 word& content) const noexcept {
    const word before = removals(number);
    if (prints_->at(number) != print) [[unlikely]]
      return outcome::changed;
    if (seen_tag(number) != tag) return outcome::missing;
    content = seen_content(number);
    return is_unchanged_since(before, number) ? outcome::found : outcome::changed;
  }

  /// The same without jumps.
  struct sight {
    /// Whether what is told of the tag and the content holds.
    bool is_sure;
    bool is_of_tag;
  };
  [[nodiscard, gnu::always_inline]] sight see(unsigned number, fingerprint print, word tag,
                                              word& content) const noexcept {
    const word before = removals(number);
    const bool is_there = prints_->at(number) == print;
    const bool is_of_tag = seen_tag(number) == tag;
    content = seen_content(number);
    return {static_cast<bool>(is_there & is_unchanged_since(before, number)), is_of_tag};
  }

  [[nodiscard]] outcome look_at(unsigned number, entry& seen) const noexcept {
    const word before = removals(number);
    if (prints_->at(number) == 0) return outcome::missing;
    seen = {seen_tag(number), seen_content(number)};
    return is_unchanged_since(before, number) ? outcome::found : outcome::changed;
  }

  /// Has the processor fetch an entry.
  void prefetch(unsigned number) const noexcept { __builtin_prefetch(&line_of(number)); }

  /// What hangs behind it, or nowhere. Readers ask where it says that there is more, which brings
  /// it along.
  [[nodiscard]] part next() const noexcept;

  // For writers: the stripe is locked, and all loads are relaxed for that.

  [[nodiscard]] entry own(unsigned number) const noexcept {
    return {place_of(number).tag.load(std::memory_order_relaxed),
            place_of(number).content.load(std::memory_order_relaxed)};
  }

  /// Writes an entry to where there is none.
  void put(unsigned number, fingerprint print, const entry& fresh) const noexcept {
    // release, both: the words may take the place of those of an entry that was removed. A reader
    // that sees them, and took that one to be there, sees that something was removed. Pairs with
    // seen_tag(). Proof: found_whole[place_of_another].
    place_of(number).tag.store(fresh.tag, std::memory_order_release);
    // Pairs with seen_content(). Proof: found_from_then_on.
    place_of(number).content.store(fresh.content, std::memory_order_release);
    prints_->put(number, print);
  }

  void replace(unsigned number, word content) const noexcept {
    // release: pairs with seen_content(): what the content stands for as it was made.
    // Proof: replaced_at_once[allocated].
    place_of(number).content.store(content, std::memory_order_release);
  }

  void remove(unsigned number) const noexcept {
    prints_->remove(number);
    std::atomic<word>& count = line_of(number).removals_;
    // release: who begins with this count does not find the fingerprint that went before. Pairs
    // with removals(). Proof: found_whole[place_of_another].
    count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }

  /// What hangs behind it; null: nothing.
  [[nodiscard]] further_part* behind() const noexcept {
    return lines_->next_.load(std::memory_order_relaxed);
  }

  void extend(further_part& fresh) const noexcept {
    // relaxed: fingerprints::says_more() brings it along.
    lines_->next_.store(&fresh, std::memory_order_relaxed);
  }

 private:
  [[nodiscard]] line& line_of(unsigned number) const noexcept {
    return lines_[number / line::places];
  }
  [[nodiscard]] line::place& place_of(unsigned number) const noexcept {
    return line_of(number).places_[number % line::places];
  }

  [[nodiscard]] word removals(unsigned number) const noexcept {
    // acquire: pairs with remove(). Proof: found_whole[place_of_another].
    return line_of(number).removals_.load(std::memory_order_acquire);
  }

  [[nodiscard]] word seen_tag(unsigned number) const noexcept {
    // acquire: pairs with put(). Proof: found_whole[place_of_another].
    return place_of(number).tag.load(std::memory_order_acquire);
  }

  [[nodiscard]] word seen_content(unsigned number) const noexcept {
    // acquire: pairs with put() and replace(). Proof: found_from_then_on.
    return place_of(number).content.load(std::memory_order_acquire);
  }

  [[nodiscard]] bool is_unchanged_since(word before, unsigned number) const noexcept {
    // relaxed: the loads before it have brought with them what they must not miss.
    return line_of(number).removals_.load(std::memory_order_relaxed) == before;
  }

  fingerprints* prints_ = nullptr;
  line* lines_ = nullptr;
};

/// A part that hangs behind others, in memory of its own.
struct further_part {
  line lines[part::lines];
  fingerprints prints;
};

inline part::part(further_part& one) noexcept : part(one.prints, one.lines) {}

inline part part::next() const noexcept {
  further_part* const one = behind();
  return one != nullptr ? part(*one) : part();
}

}  // namespace fencepost::hash_map
