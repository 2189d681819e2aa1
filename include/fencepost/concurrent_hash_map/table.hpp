// SPDX-License-Identifier: MIT
//
// The buckets of a map, and how elements go from one table to the next under the eyes of readers.
//
// A table that is about to be replaced points to the next one. Chain by chain, always the last
// element of a chain is hung into its bucket of the next table, in front, and only then taken from
// the old chain. So at each moment an element is in one of the two; a reader that stands on it goes
// on in the chain that it came into, and finds nothing there that it looks for, but for what it
// will find in any case: who has come to an end looks into the next table, and what was taken out
// of the chain before it got there is in it already.
//
// Source: the "rhashtable" of Linux (T. Graf, H. Xu), lib/rhashtable.c.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "fencepost/concurrent_hash_map/element.hpp"
#include "fencepost/rcu.hpp"

namespace fencepost::hash_map {

/// Spreads what a hash function returns over 64 bits, the high ones of which count. Fibonacci
/// hashing: Knuth, The Art of Computer Programming, volume 3, section 6.4.
inline std::uint64_t mixed(std::size_t hash) noexcept {
  return static_cast<std::uint64_t>(hash) * 0x9E3779B97F4A7C15U;
}

/// Two to the power of `bits` buckets, which lie behind it in the same memory. The high bits of a
/// hash are the bucket, so that what follows one another there comes from the same high bits.
template <class Allocator>
class alignas(64) table : public rcu_obj_base<table<Allocator>, ends_itself> {
  struct alignas(64) line {
    std::byte bytes[64];
  };
  using allocator = typename std::allocator_traits<Allocator>::template rebind_alloc<line>;
  using traits = std::allocator_traits<allocator>;

 public:
  static constexpr unsigned most_bits = 48;

  /// Throws what the allocator throws.
  static table* made(const Allocator& from, unsigned bits) {
    allocator own(from);
    line* const memory = traits::allocate(own, lines_of(bits));
    auto* const one = ::new (static_cast<void*>(memory)) table(own, bits);
    std::uninitialized_value_construct_n(one->first(), one->buckets());
    return one;
  }

  table(const table&) = delete;
  table& operator=(const table&) = delete;
  ~table() = default;

  /// Gives the memory back; what hangs in the buckets is nobody's business here.
  void end() noexcept {
    allocator own(allocator_);
    const std::size_t lines = lines_of(bits());
    std::destroy_at(this);
    traits::deallocate(own, reinterpret_cast<line*>(this), lines);
  }

  [[nodiscard]] unsigned bits() const noexcept { return 64 - shift_; }
  [[nodiscard]] std::size_t buckets() const noexcept { return std::size_t{1} << bits(); }
  [[nodiscard]] place& bucket(std::size_t number) noexcept { return first()[number]; }
  [[nodiscard]] place& bucket_of(std::uint64_t hash) noexcept { return bucket(hash >> shift_); }

  /// The first hash behind the bucket of this one; 0 if there is none.
  [[nodiscard]] std::uint64_t end_of_bucket(std::uint64_t hash) const noexcept {
    return ((hash >> shift_) + 1) << shift_;
  }

  /// The table that takes the elements of this one over, if there is one.
  [[nodiscard]] table* next() const noexcept {
    // acquire: pairs with is_followed_by(): the new table as it was made.
    // Proof: nothing_is_found_while_growing.
    return next_.load(std::memory_order_acquire);
  }

  void is_followed_by(table* fresh) noexcept {
    // release: pairs with next(). Proof: nothing_is_found_while_growing.
    next_.store(fresh, std::memory_order_release);
  }

  /// Moves what is in a bucket to the table that follows. The stripe of the bucket is locked.
  void move_away(std::size_t number, table& fresh) noexcept {
    place* const start = &bucket(number);
    // relaxed, as all loads in here: what hangs in the chains was hung there under the lock.
    while (start->load(std::memory_order_relaxed) != nullptr) {
      place* where = start;
      link* last = where->load(std::memory_order_relaxed);
      while (link* const behind = last->next.load(std::memory_order_relaxed)) {
        where = &last->next;
        last = behind;
      }
      hang_in_front(fresh.bucket_of(last->hash), *last);
      // release: who does not find the element here any more finds it there. Pairs with
      // following(). Proof: found_while_growing.
      where->store(nullptr, std::memory_order_release);
    }
  }

  /// Hangs a link into a bucket. The stripe is locked.
  static void hang_in_front(place& bucket, link& one) noexcept {
    // release: a reader that stands on a link which is being moved goes on from here, and must see
    // that those which were behind it have gone before. Pairs with following().
    // Proof: found_while_growing.
    one.next.store(bucket.load(std::memory_order_relaxed), std::memory_order_release);
    // release: pairs with following(): the element as it was made. Proof: found_whole.
    bucket.store(&one, std::memory_order_release);
  }

  /// What hangs there, to readers.
  static const link* following(const place& where) noexcept {
    // acquire: pairs with all stores to places. Proof: found_whole.
    return where.load(std::memory_order_acquire);
  }

 private:
  table(const allocator& from, unsigned bits) noexcept : shift_(64 - bits), allocator_(from) {}

  static std::size_t lines_of(unsigned bits) noexcept {
    return (sizeof(table) + (std::size_t{1} << bits) * sizeof(place) + sizeof(line) - 1) /
           sizeof(line);
  }

  place* first() noexcept { return reinterpret_cast<place*>(this + 1); }

  const unsigned shift_;
  std::atomic<table*> next_{nullptr};
  [[no_unique_address]] allocator allocator_;
};

}  // namespace fencepost::hash_map
