// SPDX-License-Identifier: MIT
//
// The table that a map has now, the stripes under which it is changed, and how another one comes in
// its place. What hangs in the buckets are links: of elements nothing is known here.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <new>

#include "fencepost/concurrent_hash_map/element.hpp"
#include "fencepost/concurrent_hash_map/table.hpp"
#include "fencepost/futex.hpp"
#include "fencepost/mutex.hpp"
#include "fencepost/observer.hpp"

namespace fencepost {

/// How a map is laid out.
struct hash_map_tuning {
  /// Writers of keys in different stripes do not wait for each other. Two to the power of this many
  /// stripes, a cache line each; at least one bit.
  unsigned stripe_bits = 5;
  /// An empty map has two to the power of this many buckets, of 8 bytes; at least `stripe_bits`.
  unsigned smallest_bits = 6;
  mutex_tuning lock{};
};

namespace hash_map {

template <class Allocator, hash_map_tuning Tuning>
class tables {
  using table = hash_map::table<Allocator>;

 public:
  using mutex_type = basic_mutex<unobserved, futex::scope::process, Tuning.lock>;

  struct alignas(64) stripe {
    mutex_type lock;
    // Of the elements; written under the lock.
    std::atomic<std::size_t> count{0};

    void add(std::size_t n) noexcept {
      // relaxed: a figure that nothing else depends on.
      count.store(count.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
    }
  };

  /// Throws what the allocator throws.
  tables(const Allocator& allocator, std::size_t elements)
      : allocator_(allocator), table_(table::made(allocator, bits_for(elements))) {}
  tables(const tables&) = delete;
  tables& operator=(const tables&) = delete;
  ~tables() = default;

  /// Gives the table back, in which nothing hangs any more.
  void end() noexcept { table_.load(std::memory_order_relaxed)->end(); }

  [[nodiscard]] const Allocator& allocator() const noexcept { return allocator_; }

  [[nodiscard]] stripe& stripe_of(std::uint64_t hash) noexcept {
    return stripes_[hash >> (64 - Tuning.stripe_bits)];
  }

  /// In a region.
  [[nodiscard]] table* current() const noexcept {
    // acquire: pairs with replaced_by(): the table as it was made, and what it has taken over.
    // Proof: found_while_growing.
    return table_.load(std::memory_order_acquire);
  }

  /// How many elements there are.
  [[nodiscard]] std::size_t count() const noexcept {
    std::size_t sum = 0;
    for (const stripe& one : stripes_) sum += one.count.load(std::memory_order_relaxed);
    return sum;
  }

  /// Calls `visit` with each bucket, and keeps the table as it is meanwhile.
  template <class Visit>
  void for_each_bucket(Visit visit) const {
    const std::lock_guard stays(growth_);
    table* const now = table_.load(std::memory_order_relaxed);
    for (std::size_t n = 0; n != now->buckets(); ++n) visit(now->bucket(n));
  }

  static bool is_too_full(const stripe& one, const table& of) noexcept {
    return one.count.load(std::memory_order_relaxed) >
           most_elements(of.buckets() >> Tuning.stripe_bits);
  }

  static unsigned bits_for(std::size_t elements) {
    unsigned bits = Tuning.smallest_bits;
    while ((std::size_t{1} << bits) - (std::size_t{1} << bits) / 8 < elements) {
      if (++bits > table::most_bits) throw std::bad_alloc();
    }
    return bits;
  }

  /// Takes what is in the bucket that begins there; `start` is then where the next one does, 0
  /// after the last.
  hash_map::link* cleared_from(std::uint64_t& start) noexcept {
    const std::lock_guard stays(growth_);
    table& now = *table_.load(std::memory_order_relaxed);
    stripe& own = stripe_of(start);
    const std::lock_guard in(own.lock);
    // relaxed: nothing is to be found behind it.
    hash_map::place& bucket = now.bucket_of(start);
    hash_map::link* const all = bucket.load(std::memory_order_relaxed);
    bucket.store(nullptr, std::memory_order_relaxed);
    std::size_t count = 0;
    for (const hash_map::link* one = all; one != nullptr; ++count) {
      one = one->next.load(std::memory_order_relaxed);
    }
    own.add(0 - count);
    start = now.end_of_bucket(start);
    return all;
  }

  /// Doubles the buckets, unless somebody does or has done so, or keeps them as they are.
  [[gnu::noinline]] void grow(std::uint64_t hash) noexcept {
    try {
      table* old = nullptr;
      {
        const std::unique_lock alone(growth_, std::try_to_lock);
        if (!alone) return;
        const table& now = *table_.load(std::memory_order_relaxed);
        if (!is_too_full(stripe_of(hash), now) || now.bits() == table::most_bits) return;
        old = replaced_by(now.bits() + 1);
      }
      old->retire();
    } catch (...) {
      // The allocator has no memory: chains grow longer until it has.
      return;
    }
  }

  /// Has as many buckets, in bits, as `wanted` makes of what there are.
  template <class Wanted>
  void go_over_to(Wanted wanted) {
    table* old = nullptr;
    {
      const std::lock_guard alone(growth_);
      const unsigned now = table_.load(std::memory_order_relaxed)->bits();
      if (wanted(now) == now) return;
      old = replaced_by(wanted(now));
    }
    old->retire();
  }

 private:
  /// In small maps stripes differ by chance, and two more do no harm.
  static std::size_t most_elements(std::size_t buckets) noexcept {
    return buckets - buckets / 8 + 2;
  }

  /// Puts a table of another size in the place of the one that is returned, to be retired when
  /// growth_, which is locked, is no more.
  table* replaced_by(unsigned bits) {
    // relaxed: written under growth_ alone.
    table* const old = table_.load(std::memory_order_relaxed);
    table* const fresh = table::made(allocator_, bits);
    old->is_followed_by(fresh);
    // Those who wait for the stripe get it after a few chains.
    constexpr std::size_t at_a_time = 32;
    const std::size_t run = std::min(at_a_time, old->buckets() >> Tuning.stripe_bits);
    for (std::size_t first = 0; first != old->buckets(); first += run) {
      const std::lock_guard in(stripes_[first >> (old->bits() - Tuning.stripe_bits)].lock);
      for (std::size_t n = first; n != first + run; ++n) old->move_away(n, *fresh);
    }
    // release: pairs with current(). Proof: found_while_growing.
    table_.store(fresh, std::memory_order_release);
    return old;
  }

  [[no_unique_address]] Allocator allocator_;
  // Written when the map has grown. Legal to be the one before last to whoever is in a region.
  alignas(64) std::atomic<table*> table_;
  // Held while the table is replaced, and by who wants it not to be.
  alignas(64) mutable mutex_type growth_;
  std::array<stripe, std::size_t{1} << Tuning.stripe_bits> stripes_;
};

}  // namespace hash_map
}  // namespace fencepost
