// SPDX-License-Identifier: MIT
//
// A writer in the stripe of its key.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>

#include "fencepost/concurrent_hash_map/bucket.hpp"
#include "fencepost/rcu.hpp"

namespace fencepost::hash_map {

/// Holds the lock of the stripe in which a hash is. It is in a region of RCU, too: the table may be
/// replaced while it looks.
template <class Tables>
class writer {
 public:
  writer(Tables& tables, std::uint64_t hash)
      : hash_(hash),
        stripe_(tables.stripe_of(hash)),
        in_(stripe_.lock),
        home_(tables.home_of(hash)) {}
  writer(const writer&) = delete;
  writer& operator=(const writer&) = delete;
  ~writer() = default;

  /// Where the entry of the tag is, of those for whose contents `matches`.
  template <class Matches>
  [[nodiscard]] bucket::place place_of(word tag, const Matches& matches) const {
    return home_.first.place_of(home_.in->print_of(hash_), tag, matches);
  }

  /// Puts an entry where place_of() has found none. Throws what the allocator throws.
  void add(const bucket::place& where, const entry& fresh) const {
    home_.in->add(where, hash_, fresh);
    stripe_.add(1);
  }

  void remove(const bucket::place& found) const noexcept {
    home_.first.remove(found);
    stripe_.add(std::size_t{0} - 1);
  }

  /// Whether the table should grow.
  [[nodiscard]] bool has_too_many() const noexcept {
    return Tables::is_too_full(stripe_, *home_.in);
  }

 private:
  const std::uint64_t hash_;
  typename Tables::stripe& stripe_;
  // Deleters may use the map.
  const rcu::block_without_deleters no_deleters_;
  const std::lock_guard<typename Tables::mutex_type> in_;
  const rcu_region reading_;
  const typename Tables::home home_;
};

}  // namespace fencepost::hash_map
