// SPDX-License-Identifier: MIT
//
// A bucket of a map: a part with places for entries, and behind it further ones where more belong
// to it. They stay as long as their table does; a part says whether something may be behind it, and
// who looks goes on only then.
//
// Writers have locked the bucket's stripe (concurrent_hash_map/tables.hpp), readers nothing
// (concurrent_hash_map/part.hpp).
#pragma once

#include <bit>

#include "fencepost/concurrent_hash_map/fingerprints.hpp"
#include "fencepost/concurrent_hash_map/part.hpp"

namespace fencepost::hash_map {

class bucket {
 public:
  /// Where a writer has found an entry, or found none: `in` is nowhere then, and there is room, if
  /// anywhere, in `free_part`, else behind `last`.
  struct place {
    part in;
    unsigned number = 0;
    part free_part;
    unsigned free_number = 0;
    part last;
  };

  explicit bucket(const part& first) noexcept : first_(first) {}

  // For readers.

  /// The content of the entry of the tag, of those for whose contents `matches`. `changed`: it has
  /// moved.
  template <class Matches>
  [[nodiscard, gnu::always_inline]] outcome find(fingerprint print, word tag, word& content,
                                                 const Matches& matches) const {
    for (part now = first_;;) {
      const fingerprints::look seen = now.prints().seen();
      const outcome found = find_in(now, seen.equal_to(print), print, tag, content, matches);
      if (found == outcome::found) return found;
      if (found == outcome::changed) [[unlikely]]
        continue;
      if (seen.states() == 0) [[likely]]
        return outcome::missing;
      if ((seen.states() & fingerprints::has_moved) != 0) return outcome::changed;
      now = now.next();
    }
  }

  /// What a search sees first: where the entry may be, and whether it may be behind.
  struct first_look {
    unsigned candidates;
    bool is_all;
  };

  [[nodiscard]] first_look look(fingerprint print) const noexcept {
    const fingerprints::look seen = first_.prints().seen();
    return {seen.equal_to(print), seen.states() == 0};
  }

  /// Has the processor fetch the entry that was seen.
  void prefetch(const first_look& seen) const noexcept {
    first_.prefetch(first_candidate(seen.candidates));
  }

  /// The content of the entry of the tag, if it is the first that was seen. `changed`: ask find().
  /// There are no jumps.
  [[nodiscard, gnu::always_inline]] outcome find_first(const first_look& seen, fingerprint print,
                                                       word tag, word& content) const noexcept {
    const part::sight there = first_.see(first_candidate(seen.candidates), print, tag, content);
    const bool is_candidate = seen.candidates != 0;
    const bool may_be_elsewhere =
        ((seen.candidates & (seen.candidates - 1)) != 0) | static_cast<bool>(!seen.is_all);
    const bool is_found = is_candidate & there.is_sure & there.is_of_tag;
    const bool is_unsure = is_candidate & static_cast<bool>(!there.is_sure);
    const bool is_open = static_cast<bool>(!is_found) & (may_be_elsewhere | is_unsure);
    return static_cast<outcome>(static_cast<unsigned>(!is_found) + static_cast<unsigned>(is_open));
  }

  /// Calls `visit` with each entry that is there all the time, once. The bucket must not move
  /// meanwhile.
  template <class Visit>
  void visit_all(const Visit& visit) const {
    for (part now = first_;; now = now.next()) {
      const fingerprints::look seen = now.prints().seen();
      for (unsigned left = seen.taken(); left != 0; left &= left - 1) {
        entry one{};
        outcome there{};
        do {
          there = now.look_at(static_cast<unsigned>(std::countr_zero(left)), one);
        } while (there == outcome::changed);
        if (there == outcome::found) visit(one);
      }
      if ((seen.states() & fingerprints::has_more) == 0) return;
    }
  }

  // For writers.

  [[nodiscard]] bool has_moved() const noexcept {
    return (first_.prints().own().states() & fingerprints::has_moved) != 0;
  }

  /// Where the entry of the tag is, of those for whose contents `matches`.
  template <class Matches>
  [[nodiscard]] place place_of(fingerprint print, word tag, const Matches& matches) const {
    place seen;
    for (part now = first_; now; now = now.next()) {
      seen.last = now;
      const fingerprints::look prints = now.prints().own();
      for (unsigned left = prints.equal_to(print); left != 0; left &= left - 1) {
        const auto number = static_cast<unsigned>(std::countr_zero(left));
        const entry one = now.own(number);
        if (one.tag == tag && matches(one.content)) {
          seen.in = now;
          seen.number = number;
          return seen;
        }
      }
      if (!seen.free_part && prints.free() != 0) {
        seen.free_part = now;
        seen.free_number = static_cast<unsigned>(std::countr_zero(prints.free()));
      }
    }
    return seen;
  }

  /// Calls `visit` with each entry.
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (part now = first_; now; now = now.next()) {
      for (unsigned left = now.prints().own().taken(); left != 0; left &= left - 1) {
        visit(now.own(static_cast<unsigned>(std::countr_zero(left))));
      }
    }
  }

  /// Writes an entry to where place_of() has found room.
  void put(const place& where, fingerprint print, const entry& fresh) const noexcept {
    // First: the entry appears by one store, its fingerprint's.
    for (part now = first_; now != where.free_part; now = now.next()) now.prints().says_more(true);
    where.free_part.put(where.free_number, print, fresh);
  }

  /// The same where it has found none, to a part that nobody knows.
  static void put_behind(const place& where, further_part& memory, fingerprint print,
                         const entry& fresh) noexcept {
    part(memory).put(0, print, fresh);
    where.last.extend(memory);
    where.last.prints().says_more(true);
  }

  void remove(const place& old) const noexcept {
    old.in.remove(old.number);
    if (old.in != first_) says_where_the_last_are();
  }

  /// Removes the entry of that tag and content, if there is one; whether there was.
  bool remove_equal(const entry& old) const noexcept {
    for (part now = first_; now; now = now.next()) {
      for (unsigned left = now.prints().own().taken(); left != 0; left &= left - 1) {
        const auto number = static_cast<unsigned>(std::countr_zero(left));
        const entry one = now.own(number);
        if (one.tag != old.tag || one.content != old.content) continue;
        now.remove(number);
        if (now != first_) says_where_the_last_are();
        return true;
      }
    }
    return false;
  }

  /// Removes one entry after the other, until `take`, which is passed its content, does not want
  /// it. Whether none is left.
  template <class Take>
  bool remove_while(const Take& take) const noexcept {
    for (part now = first_; now; now = now.next()) {
      for (unsigned left = now.prints().own().taken(); left != 0; left &= left - 1) {
        const auto number = static_cast<unsigned>(std::countr_zero(left));
        if (!take(now.own(number).content)) return false;
        now.remove(number);
      }
    }
    says_where_the_last_are();
    return true;
  }

  /// Nothing changes here any more.
  void is_moved() const noexcept { first_.prints().is_moved(); }

  [[nodiscard]] const part& first() const noexcept { return first_; }

 private:
  /// The last place where there is none.
  static unsigned first_candidate(unsigned candidates) noexcept {
    return static_cast<unsigned>(std::countr_zero(candidates | 1U << (part::places - 1)));
  }

  template <class Matches>
  [[nodiscard, gnu::always_inline]] static outcome find_in(const part& one, unsigned candidates,
                                                           fingerprint print, word tag,
                                                           word& content, const Matches& matches) {
    for (; candidates != 0; candidates &= candidates - 1) {
      const auto number = static_cast<unsigned>(std::countr_zero(candidates));
      word seen = 0;
      const outcome found = one.find(number, print, tag, seen);
      if (found == outcome::changed) [[unlikely]]
        return found;
      if (found == outcome::found && matches(seen)) [[likely]] {
        content = seen;
        return found;
      }
    }
    return outcome::missing;
  }

  /// Has no part say that there is more where there is not.
  void says_where_the_last_are() const noexcept {
    part last = first_;
    for (part now = first_; now; now = now.next()) {
      if (now.prints().own().taken() != 0) last = now;
    }
    for (; last; last = last.next()) last.prints().says_more(false);
  }

  part first_;
};

}  // namespace fencepost::hash_map
