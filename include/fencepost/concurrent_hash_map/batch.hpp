// SPDX-License-Identifier: MIT
//
// Lookups of many keys at a time, which wait for memory together: first all hashes are computed and
// the fingerprints fetched, then the entries that these point to, and then the visitor is called.
// Which keys are there is told without jumps, for half of those that nobody can foresee would be
// taken in vain.
//
// Source: O. Kocberber, B. Falsafi and B. Grot, "Asynchronous Memory Access Chaining" (PVLDB 9,
// 2015), for lookups in groups.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "fencepost/concurrent_hash_map/bucket.hpp"
#include "fencepost/concurrent_hash_map/fingerprints.hpp"
#include "fencepost/rcu.hpp"

namespace fencepost::hash_map {

/// Up to `most` keys, of which it holds the addresses.
template <class Map>
class batch {
  using key_type = typename Map::key_type;
  using elements = typename Map::elements;

 public:
  static constexpr std::size_t most = 32;

  explicit batch(const Map& map) noexcept : map_(map) {}

  /// Has the fingerprints of the key's bucket fetched. Throws what the hash function throws.
  void add(const key_type& key) {
    one& fresh = keys_[count_];
    fresh.key = std::addressof(key);
    fresh.hash = map_.hashed(key);
    table_.prefetch(fresh.hash);
    ++count_;
  }

  [[nodiscard]] bool is_full() const noexcept { return count_ == most; }

  /// Calls `visitor` with the elements that are there, in no order; how many there are.
  template <class Visitor>
  std::size_t visit(Visitor& visitor) {
    for (std::size_t n = 0; n != count_; ++n) {
      one& now = keys_[n];
      const bucket in = table_.bucket_of(now.hash);
      now.seen = in.look(table_.print_of(now.hash));
      in.prefetch(now.seen);
    }
    std::size_t visited = 0;
    std::size_t found = 0;
    for (std::size_t n = 0; n != count_; ++n) {
      const one& now = keys_[n];
      hit& next = hits_[found];
      next.number = n;
      next.content.tag = elements::tag_of(now.hash, *now.key);
      const outcome told = table_.bucket_of(now.hash).find_first(
          now.seen, table_.print_of(now.hash), next.content.tag, next.content.content);
      if (told == outcome::changed) [[unlikely]] {
        visited += by_itself(now, visitor);
      }
      found += static_cast<std::size_t>(told == outcome::found);
    }
    for (std::size_t n = 0; n != found; ++n) {
      const hit& now = hits_[n];
      const one& of = keys_[now.number];
      if (elements::matching(*of.key, map_.equal_)(now.content.content)) [[likely]] {
        elements::show(now.content, visitor);
        ++visited;
      } else {
        visited += by_itself(of, visitor);
      }
    }
    return visited;
  }

 private:
  struct one {
    const key_type* key;
    std::uint64_t hash;
    bucket::first_look seen;
  };
  struct hit {
    std::size_t number;
    entry content;
  };

  template <class Visitor>
  [[nodiscard, gnu::noinline]] std::size_t by_itself(const one& now, Visitor& visitor) const {
    const auto tag = elements::tag_of(now.hash, *now.key);
    return map_.visit_hashed(now.hash, tag, *now.key, visitor) ? 1 : 0;
  }

  const Map& map_;
  const rcu_region reading_;
  typename Map::table& table_ = *map_.tables_.current();
  std::size_t count_ = 0;
  one keys_[most];
  hit hits_[most];
};

}  // namespace fencepost::hash_map
