// SPDX-License-Identifier: MIT
//
// Binary relations over at most 64 events as boolean matrices, with the operators of the papers:
// union |, intersection &, difference -, composition r.then(s), inverse, closures.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace reference {

inline constexpr int max_events = 64;

// A set of events, one bit each.
using event_set = std::uint64_t;

inline constexpr event_set singleton(int event) { return event_set{1} << event; }
inline constexpr bool contains(event_set s, int event) { return (s >> event & 1) != 0; }

class relation {
 public:
  // The empty relation over the events 0 .. size-1.
  explicit relation(int size = 0) : size_(size) { rows_.fill(0); }

  // [s], the identity on a set.
  static relation identity(int size, event_set s) {
    relation r(size);
    for (int a = 0; a < size; ++a) {
      if (contains(s, a)) r.add(a, a);
    }
    return r;
  }

  // a × b
  static relation product(int size, event_set a, event_set b) {
    relation r(size);
    for (int i = 0; i < size; ++i) {
      if (contains(a, i)) r.row(i) = b;
    }
    return r;
  }

  void add(int a, int b) { row(a) |= singleton(b); }
  bool holds(int a, int b) const { return contains(row(a), b); }
  int size() const { return size_; }

  friend relation operator|(relation r, const relation& s) {
    for (int a = 0; a < r.size_; ++a) r.row(a) |= s.row(a);
    return r;
  }
  friend relation operator&(relation r, const relation& s) {
    for (int a = 0; a < r.size_; ++a) r.row(a) &= s.row(a);
    return r;
  }
  friend relation operator-(relation r, const relation& s) {
    for (int a = 0; a < r.size_; ++a) r.row(a) &= ~s.row(a);
    return r;
  }

  // r;s
  relation then(const relation& s) const {
    relation result(size_);
    for (int a = 0; a < size_; ++a) {
      for (event_set left = row(a); left != 0; left &= left - 1) {
        result.row(a) |= s.row(__builtin_ctzll(left));
      }
    }
    return result;
  }

  // [from];r;[to]
  relation between(event_set from, event_set to) const {
    relation result(size_);
    for (int a = 0; a < size_; ++a) {
      if (contains(from, a)) result.row(a) = row(a) & to;
    }
    return result;
  }

  relation inverse() const {
    relation result(size_);
    for (int a = 0; a < size_; ++a) {
      for (int b = 0; b < size_; ++b) {
        if (holds(a, b)) result.add(b, a);
      }
    }
    return result;
  }

  // r?
  relation reflexive() const {
    relation result = *this;
    for (int a = 0; a < size_; ++a) result.add(a, a);
    return result;
  }

  // r+
  relation transitive() const {
    relation result = *this;
    for (int k = 0; k < size_; ++k) {
      for (int a = 0; a < size_; ++a) {
        if (result.holds(a, k)) result.row(a) |= result.row(k);
      }
    }
    return result;
  }

  bool empty() const {
    for (int a = 0; a < size_; ++a) {
      if (row(a) != 0) return false;
    }
    return true;
  }

  bool irreflexive() const {
    for (int a = 0; a < size_; ++a) {
      if (holds(a, a)) return false;
    }
    return true;
  }

  bool acyclic() const { return transitive().irreflexive(); }

 private:
  event_set& row(int a) { return rows_[static_cast<std::size_t>(a)]; }
  const event_set& row(int a) const { return rows_[static_cast<std::size_t>(a)]; }

  int size_;
  std::array<event_set, max_events> rows_;
};

}  // namespace reference
