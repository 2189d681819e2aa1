// SPDX-License-Identifier: MIT
//
// The buckets of a map, and how entries go from one table to the next under the eyes of readers.
//
// A table that is about to be replaced points to the next one. Bucket by bucket, what is there is
// written into the next table, too, and then the bucket says that it has moved. From then on
// nothing changes in it, and whoever comes upon it, reader or writer, goes on to the next table. So
// at each moment an entry is to be found in one of the two.
#pragma once

#include <sys/mman.h>
#include <sys/syscall.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#include "fencepost/concurrent_hash_map/allocated_elements.hpp"
#include "fencepost/concurrent_hash_map/bucket.hpp"
#include "fencepost/detail/kernel.hpp"
#include "fencepost/rcu.hpp"

namespace fencepost::hash_map {

/// Spreads what a hash function returns over 64 bits, the high ones of which count. Fibonacci
/// hashing: Knuth, The Art of Computer Programming, volume 3, section 6.4.
inline std::uint64_t mixed(std::size_t hash) noexcept {
  return static_cast<std::uint64_t>(hash) * 0x9E3779B97F4A7C15U;
}

/// Asks the kernel for large pages, without which a lookup in a large table misses the translation
/// of its address besides the line itself. If it has none, or will not, nothing happens.
inline void wants_large_pages(void* memory, std::size_t bytes) noexcept {
  constexpr std::uintptr_t page = 2U << 20;
  const auto start = (reinterpret_cast<std::uintptr_t>(memory) + page - 1) & ~(page - 1);
  const auto end = (reinterpret_cast<std::uintptr_t>(memory) + bytes) & ~(page - 1);
  if (start >= end) return;
  kernel::call(SYS_madvise, reinterpret_cast<void*>(start), end - start, long{MADV_HUGEPAGE});
}

/// Two to the power of `bits` buckets, which lie behind it in the same memory: first the
/// fingerprints of all, then the entries of all. The high bits of a hash are the bucket, so that
/// what follows one another there comes from the same high bits, and the next eight the
/// fingerprint.
template <class Allocator>
class alignas(64) table : public rcu_obj_base<table<Allocator>, ends_itself> {
  using allocator = typename std::allocator_traits<Allocator>::template rebind_alloc<line>;
  using traits = std::allocator_traits<allocator>;
  using part_allocator =
      typename std::allocator_traits<Allocator>::template rebind_alloc<further_part>;
  using part_traits = std::allocator_traits<part_allocator>;

 public:
  static constexpr unsigned most_bits = 48;

  /// Throws what the allocator throws.
  static table* made(const Allocator& from, unsigned bits) {
    allocator own(from);
    const std::size_t lines = lines_of(bits);
    line* const memory = traits::allocate(own, lines);
    wants_large_pages(memory, lines * sizeof(line));
    auto* const one = ::new (static_cast<void*>(memory)) table(own, bits);
    std::uninitialized_value_construct_n(one->prints(), one->buckets());
    std::uninitialized_value_construct_n(one->lines_, one->buckets() * part::lines);
    return one;
  }

  table(const table&) = delete;
  table& operator=(const table&) = delete;
  ~table() = default;

  /// Gives the memory back; what the entries stand for is nobody's business here. Linear.
  void end() noexcept {
    part_allocator parts(allocator_);
    for (std::size_t n = 0; n != buckets(); ++n) {
      for (further_part* one = bucket_at(n).first().behind(); one != nullptr;) {
        further_part* const gone = one;
        one = part(*one).behind();
        std::destroy_at(gone);
        part_traits::deallocate(parts, gone, 1);
      }
    }
    allocator own(allocator_);
    const std::size_t lines = lines_of(bits());
    std::destroy_at(this);
    traits::deallocate(own, reinterpret_cast<line*>(this), lines);
  }

  [[nodiscard]] unsigned bits() const noexcept { return 64 - print_bits - shift_; }
  [[nodiscard]] std::size_t buckets() const noexcept { return std::size_t{1} << bits(); }
  [[nodiscard]] bucket bucket_at(std::size_t number) noexcept {
    return bucket(part(prints()[number], lines_ + number * part::lines));
  }
  [[nodiscard]] bucket bucket_of(std::uint64_t hash) noexcept { return bucket_at(number_of(hash)); }

  [[nodiscard]] fingerprint print_of(std::uint64_t hash) const noexcept {
    const auto bits = static_cast<fingerprint>(hash >> shift_);
    return bits != 0 ? bits : fingerprint{1};
  }

  /// Has the processor fetch the fingerprints of a bucket.
  void prefetch(std::uint64_t hash) noexcept { __builtin_prefetch(prints() + number_of(hash)); }

  /// The last hash of those that have the same bucket as this one.
  [[nodiscard]] std::uint64_t end_of_bucket(std::uint64_t hash) const noexcept {
    return hash | ((std::uint64_t{1} << (shift_ + print_bits)) - 1);
  }

  /// The table that takes the entries of this one over, if there is one. To be asked for after
  /// current() or a bucket that has moved, which bring it with them.
  [[nodiscard]] table* next() const noexcept { return next_.load(std::memory_order_relaxed); }
  void is_followed_by(table* fresh) noexcept { next_.store(fresh, std::memory_order_relaxed); }

  /// Writes an entry to where place_of() of the bucket of the hash has found none. Throws what the
  /// allocator throws. The stripe is locked.
  void add(const bucket::place& where, std::uint64_t hash, const entry& fresh) {
    if (where.free_part) {
      bucket_of(hash).put(where, print_of(hash), fresh);
    } else {
      part_allocator own(allocator_);
      further_part* const one = std::construct_at(part_traits::allocate(own, 1));
      bucket::put_behind(where, *one, print_of(hash), fresh);
    }
  }

  /// Moves what is in a bucket to the table that follows; does nothing if the allocator or
  /// `hash_of`, which is passed tags, throws. The stripe of the bucket is locked.
  template <class HashOf>
  void move_away(std::size_t number, table& to, const HashOf& hash_of) {
    const bucket from = bucket_at(number);
    if (from.has_moved()) return;
    struct copying {
      ~copying() {
        if (!is_done) from.forget(number, copies, to);
      }
      table& from;
      std::size_t number;
      table& to;
      std::size_t copies = 0;
      bool is_done = false;
    } now{*this, number, to};
    from.for_each([&](const entry& one) {
      const std::uint64_t hash = hash_of(one.tag);
      // None of its contents: room.
      const auto room = to.place_of(hash, one.tag, [](word) { return false; });
      to.add(room, hash, one);
      ++now.copies;
    });
    now.is_done = true;
    from.is_moved();
  }

 private:
  static constexpr unsigned print_bits = 8;

  /// Takes so many entries of the bucket, from the first on, out of the other table. What throws is
  /// not called again: the high bits of the hashes are the bucket's number, in either table.
  void forget(std::size_t number, std::size_t copies, table& from) noexcept {
    const bool is_larger = from.bits() >= bits();
    const unsigned difference = is_larger ? from.bits() - bits() : bits() - from.bits();
    const std::size_t first = is_larger ? number << difference : number >> difference;
    const std::size_t last = is_larger ? first + (std::size_t{1} << difference) : first + 1;
    bucket_at(number).for_each([&](const entry& one) {
      if (copies == 0) return;
      --copies;
      std::size_t at = first;
      while (at != last && !from.bucket_at(at).remove_equal(one)) ++at;
    });
  }

  table(const allocator& from, unsigned bits) noexcept
      : shift_(64 - print_bits - bits),
        lines_(reinterpret_cast<line*>(this + 1) + print_lines_of(bits)),
        allocator_(from) {}

  template <class Matches>
  [[nodiscard]] bucket::place place_of(std::uint64_t hash, word tag, const Matches& matches) {
    return bucket_of(hash).place_of(print_of(hash), tag, matches);
  }

  static std::size_t print_lines_of(unsigned bits) noexcept {
    return ((sizeof(fingerprints) << bits) + sizeof(line) - 1) / sizeof(line);
  }

  static std::size_t lines_of(unsigned bits) noexcept {
    return sizeof(table) / sizeof(line) + print_lines_of(bits) + (std::size_t{part::lines} << bits);
  }

  [[nodiscard]] std::size_t number_of(std::uint64_t hash) const noexcept {
    return hash >> shift_ >> print_bits;
  }

  fingerprints* prints() noexcept { return reinterpret_cast<fingerprints*>(this + 1); }

  const unsigned shift_;
  line* const lines_;
  std::atomic<table*> next_{nullptr};
  [[no_unique_address]] allocator allocator_;
};

}  // namespace fencepost::hash_map
