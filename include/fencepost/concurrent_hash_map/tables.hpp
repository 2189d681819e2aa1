// SPDX-License-Identifier: MIT
//
// The table that a map has now, the stripes under which it is changed, and how another one comes in
// its place. Of elements nothing is known here: entries are two words.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "fencepost/concurrent_hash_map/bucket.hpp"
#include "fencepost/concurrent_hash_map/table.hpp"
#include "fencepost/detail/no_memory.hpp"
#include "fencepost/futex.hpp"
#include "fencepost/mutex.hpp"
#include "fencepost/observer.hpp"
#include "fencepost/rcu.hpp"

namespace fencepost {

/// How a map is laid out.
struct hash_map_tuning {
  /// Writers of keys in different stripes do not wait for each other. Two to the power of this many
  /// stripes, a cache line each; at least one bit.
  unsigned stripe_bits = 5;
  /// An empty map has two to the power of this many buckets, of 336 bytes; at least `stripe_bits`.
  unsigned smallest_bits = 5;
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

  /// Gives the memory back; what the entries stand for has gone.
  void end() noexcept {
    for (table* now = table_.load(std::memory_order_relaxed); now != nullptr;) {
      table* const gone = now;
      now = now->next();
      gone->end();
    }
  }

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

  /// Calls `visit` with each bucket in which something is to be found, and keeps the table as it is
  /// meanwhile.
  template <class Visit>
  void for_each_bucket(Visit visit) const {
    const rcu::block_without_deleters no_deleters;  // deleters may use the map
    const std::lock_guard stays(growth_);
    // relaxed, as all that is written under growth_.
    for (table* now = table_.load(std::memory_order_relaxed); now != nullptr; now = now->next()) {
      for (std::size_t n = 0; n != now->buckets(); ++n) {
        if (!now->bucket_at(n).has_moved()) visit(now->bucket_at(n));
      }
    }
  }

  static bool is_too_full(const stripe& one, const table& of) noexcept {
    return one.count.load(std::memory_order_relaxed) >
           most_elements(of.buckets() >> Tuning.stripe_bits);
  }

  static unsigned bits_for(std::size_t elements) {
    unsigned bits = Tuning.smallest_bits;
    while (wanted_elements(std::size_t{1} << bits) < elements) {
      if (++bits > table::most_bits) detail::no_memory();
    }
    return bits;
  }

  /// The bucket of the hash in which something is to be found, to whoever has locked its stripe,
  /// and its table.
  struct home {
    table* in;
    bucket first;
  };
  [[nodiscard]] home home_of(std::uint64_t hash) const noexcept {
    table* now = current();
    while (now->bucket_of(hash).has_moved()) now = now->next();
    return {now, now->bucket_of(hash)};
  }

  /// Removes the entries of the bucket in which `hash` is while `take` wants their contents. When
  /// none is left, `hash` is the first one of the next bucket. Says whether there is more to
  /// remove: entries of this bucket, or another one behind it.
  template <class Take>
  bool clear_bucket(std::uint64_t& hash, const Take& take) noexcept {
    const std::lock_guard stays(growth_);
    stripe& own = stripe_of(hash);
    const std::lock_guard in(own.lock);
    const home at = home_of(hash);
    const bool is_empty = at.first.remove_while([&](word content) {
      const bool goes = take(content);
      if (goes) own.add(std::size_t{0} - 1);
      return goes;
    });
    // Where there are two tables it is the end of the smaller bucket.
    if (!is_empty) return true;
    hash = std::min(at.in->end_of_bucket(hash), current()->end_of_bucket(hash)) + 1;
    return hash != 0;
  }

  /// Doubles the buckets, unless somebody does or has done so, or keeps them as they are.
  /// `hash_of` tells the hash of a tag.
  template <class HashOf>
  [[gnu::noinline]] void grow(std::uint64_t hash, const HashOf& hash_of) noexcept {
#if defined(__cpp_exceptions)
    try {
      grow_or_throw(hash, hash_of);
    } catch (...) {
      // The allocator has no memory: more parts hang behind each bucket until it has.
      return;
    }
#else
    grow_or_throw(hash, hash_of);
#endif
  }

  /// Has as many buckets, in bits, as `wanted` makes of what there are.
  template <class Wanted, class HashOf>
  void go_over_to(const Wanted& wanted, const HashOf& hash_of) {
    for (;;) {
      table* old = nullptr;
      {
        const rcu::block_without_deleters no_deleters;
        const std::lock_guard alone(growth_);
        const table& now = *table_.load(std::memory_order_relaxed);
        if (now.next() == nullptr && wanted(now.bits()) == now.bits()) return;
        old = replaced_by(wanted(now.bits()), hash_of);
      }
      old->retire();
    }
  }

 private:
  /// Two of three places: one bucket of twenty then has more than one part, and a lookup that goes
  /// on to another part costs more than twice as much. When the buckets have been doubled it is one
  /// of three places, and with still more buckets fewer of them are in the processor's caches.
  static constexpr std::size_t wanted_elements(std::size_t buckets) noexcept {
    return 10 * buckets;
  }

  /// In a stripe, of which some have more than others by chance: three times as many more as the
  /// standard deviation, about.
  static std::size_t most_elements(std::size_t buckets) noexcept {
    const std::size_t mean = wanted_elements(buckets);
    return mean + (std::size_t{3} << (std::bit_width(mean) / 2));
  }

  template <class HashOf>
  void grow_or_throw(std::uint64_t hash, const HashOf& hash_of) {
    table* old = nullptr;
    {
      const rcu::block_without_deleters no_deleters;
      const std::unique_lock alone(growth_, std::try_to_lock);
      if (!alone) return;
      const table& now = *table_.load(std::memory_order_relaxed);
      if (!is_too_full(stripe_of(hash), now) || now.bits() == table::most_bits) return;
      old = replaced_by(now.bits() + 1, hash_of);
    }
    old->retire();
  }

  /// Puts a table of another size in the place of the one that is returned, to be retired when
  /// growth_, which is locked, is no more. Where it has thrown, as what it calls may, there are two
  /// tables, and the next call goes on with them.
  template <class HashOf>
  table* replaced_by(unsigned bits, const HashOf& hash_of) {
    // relaxed: written under growth_ alone.
    table* const old = table_.load(std::memory_order_relaxed);
    if (old->next() == nullptr) old->is_followed_by(table::made(allocator_, bits));
    table* const fresh = old->next();
    // Those who wait for the stripe get it after a few buckets.
    constexpr std::size_t at_a_time = 32;
    const std::size_t run = std::min(at_a_time, old->buckets() >> Tuning.stripe_bits);
    for (std::size_t first = 0; first != old->buckets(); first += run) {
      const std::lock_guard in(stripes_[first >> (old->bits() - Tuning.stripe_bits)].lock);
      for (std::size_t n = first; n != first + run; ++n) old->move_away(n, *fresh, hash_of);
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
