// SPDX-License-Identifier: MIT
//
// A hash map whose readers take no lock and write nothing that others read: a lookup is a region of
// RCU around a walk along a short chain, on however many processors.
//
//     fencepost::concurrent_hash_map<std::string, session> sessions;
//
//     sessions.insert_or_assign("k", session{…});                     // writers lock a stripe
//     std::optional<session> copy = sessions.find("k");               // readers lock nothing
//     sessions.visit("k", [](const auto& one) { use(one.second); });  // without a copy
//     sessions.modify("k", [](session& copy) { ++copy.requests; });   // replaces it by the copy
//     sessions.erase("k");
//
// Guaranteed:
// * find(), visit() and contains() never wait: not for writers, nor for the map to grow. They write
//   nothing but the thread's own word (rcu.hpp).
// * Each of insert(), try_emplace(), insert_or_assign(), modify() and erase() takes effect at one
//   moment, also to who looks while the map grows: a key that is there all the time is found, one
//   that is not is not, and of a key that is assigned one value or the other. Proofs:
//   found_while_growing, nothing_is_found_while_growing, replaced_at_once, inserted_once.
// * What precedes the insertion of an element happens before what follows the finding of it. Proof:
//   found_whole.
// * What a visitor is passed exists until it returns. Elements are never moved or changed: visitors
//   get them const. Proof: no_access_after_reclamation.
// * An exception out of a hash function, an equality, a constructor, a visitor or the allocator
//   leaves the map as it was. If there is no memory to grow, it stays as small as it is.
// Not guaranteed: an order of the elements; when an element that was erased or replaced is
// destroyed, and in which thread: some time after, when the regions of RCU that were open are
// closed. rcu_barrier() waits for it. A reader that sleeps in a visitor delays that for everything
// that is retired in the process.
//
// How it works. An array of chains, of which readers follow the atomic links. Writers lock one of
// the stripes, by the hash of their key, and hang one element in, out, or in the place of another
// by one store. When a stripe has more than about seven elements for eight buckets, the thread that
// made it so doubles the array: chain by chain, elements go over to the new one while readers walk
// along (concurrent_hash_map/table.hpp), and writers wait for no more than a few chains. The array
// does not shrink by itself; rehash() makes it do so.
//
// The hash function and the equality are called by several threads at a time. What is called while
// a stripe is locked, the equality, the copy and the function of modify(), must not use the map.
// Visitors may, but those of for_each() must not call for_each(), clear(), reserve() and rehash();
// destructors of elements may do anything. Nothing here is for signal handlers.
//
// Sources: Linux' rhashtable (T. Graf and H. Xu, 2014), for the resizing; P. McKenney and J.
// Slingwine, "Read-Copy Update" (PDCS 1998). Names are of C++'s unordered_map where it has such a
// function, visit() is Boost's.
#pragma once

#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>

#include "fencepost/concurrent_hash_map/element.hpp"
#include "fencepost/concurrent_hash_map/table.hpp"
#include "fencepost/concurrent_hash_map/tables.hpp"
#include "fencepost/rcu.hpp"

namespace fencepost {

template <class Key, class T, class Hash = std::hash<Key>, class KeyEqual = std::equal_to<Key>,
          class Allocator = std::allocator<std::pair<const Key, T>>,
          hash_map_tuning Tuning = hash_map_tuning{}>
class concurrent_hash_map {
  static_assert(Tuning.stripe_bits >= 1 && Tuning.stripe_bits <= Tuning.smallest_bits);
  static_assert(std::is_pointer_v<typename std::allocator_traits<Allocator>::pointer>,
                "links are plain pointers");

  template <class K>
  static constexpr bool is_key_like = requires {
    typename Hash::is_transparent;
    typename KeyEqual::is_transparent;
  }
  &&!std::is_same_v<K, Key>;

 public:
  using key_type = Key;
  using mapped_type = T;
  using value_type = std::pair<const Key, T>;
  using size_type = std::size_t;
  using hasher = Hash;
  using key_equal = KeyEqual;
  using allocator_type = Allocator;

  /// An empty map, with buckets for as many elements. Throws what the allocator throws.
  explicit concurrent_hash_map(size_type elements = 0, const Hash& hash = Hash(),
                               const KeyEqual& equal = KeyEqual(),
                               const Allocator& allocator = Allocator())
      : hash_(hash), equal_(equal), tables_(allocator, elements) {}

  concurrent_hash_map(const concurrent_hash_map&) = delete;
  concurrent_hash_map& operator=(const concurrent_hash_map&) = delete;

  /// Destroys the elements that are in the map. Nobody uses it any more. Those that were erased may
  /// be destroyed later; where allocators are not all equal it waits for them, so that the
  /// allocator may go, as by rcu_barrier(): then not within a region, a visitor or a deleter.
  /// Linear.
  ~concurrent_hash_map() {
    tables_.for_each_bucket([](const hash_map::place& bucket) {
      hash_map::link* one = bucket.load(std::memory_order_relaxed);
      while (one != nullptr) {
        auto* const gone = static_cast<element*>(one);
        one = one->next.load(std::memory_order_relaxed);
        gone->end();
      }
    });
    tables_.end();
    if constexpr (!std::allocator_traits<Allocator>::is_always_equal::value) rcu_barrier();
  }

  [[nodiscard]] allocator_type get_allocator() const { return tables_.allocator(); }
  [[nodiscard]] hasher hash_function() const { return hash_; }
  [[nodiscard]] key_equal key_eq() const { return equal_; }

  // Looking. Waits for nobody. Constant on average, linear in the worst case. Throws what the hash
  // function, the equality, the visitor and the copy throw. Any type of key if Hash and KeyEqual
  // are transparent.

  /// Calls `visitor` with the element of the key, a const value_type&, in a region of RCU: it
  /// exists until the visitor returns. False: there is none.
  template <class Visitor>
  bool visit(const Key& key, Visitor&& visitor) const {
    return visit_like(key, visitor);
  }
  template <class K, class Visitor>
  requires is_key_like<K>
  bool visit(const K& key, Visitor&& visitor) const { return visit_like(key, visitor); }

  /// A copy of what the key is mapped to, if there is something.
  [[nodiscard]] std::optional<T> find(const Key& key) const { return find_like(key); }
  template <class K>
  requires is_key_like<K>
  [[nodiscard]] std::optional<T> find(const K& key) const { return find_like(key); }

  [[nodiscard]] bool contains(const Key& key) const {
    return visit_like(key, [](const value_type&) {});
  }
  template <class K>
  requires is_key_like<K>
  [[nodiscard]] bool contains(const K& key) const {
    return visit_like(key, [](const value_type&) {});
  }

  // Changing. Locks a stripe. Constant on average, linear in the worst case, and linear for who
  // makes the map grow. Throws what the hash function, the equality, the constructors and the
  // allocator throw, with nothing done.

  /// Inserts the element if there is none with its key; whether it did.
  bool insert(const value_type& value) { return try_emplace(value.first, value.second); }
  bool insert(value_type&& value) { return try_emplace(value.first, std::move(value.second)); }

  /// Inserts T(arguments...) for the key if there is none; whether it did. Where the key is found
  /// at once nothing is constructed; where another thread is quicker, something is in vain.
  template <class... Arguments>
  bool try_emplace(const Key& key, Arguments&&... arguments) {
    return emplace_unless_there(key, std::forward<Arguments>(arguments)...);
  }
  template <class... Arguments>
  bool try_emplace(Key&& key, Arguments&&... arguments) {
    return emplace_unless_there(std::move(key), std::forward<Arguments>(arguments)...);
  }

  /// Maps the key to the value, in the place of what it was mapped to; whether it was to nothing.
  /// The key of the element is then this one, which is equal.
  template <class U>
  bool insert_or_assign(const Key& key, U&& value) {
    return emplace_in_place(key, std::forward<U>(value));
  }
  template <class U>
  bool insert_or_assign(Key&& key, U&& value) {
    return emplace_in_place(std::move(key), std::forward<U>(value));
  }

  /// Replaces the element of the key by a copy to which `change` was applied, a function of T&:
  /// nothing comes in between. Readers see the one or the other. `change` is called with the
  /// stripe locked. False: there is none.
  template <class Change>
  bool modify(const Key& key, Change&& change) {
    const std::uint64_t hash = hashed(key);
    element* old = nullptr;
    {
      const writing in(*this, hash);
      const where found = in.place_of(key);
      if (found.what == nullptr) return false;
      old = found.what;
      unfinished fresh(element::made(tables_.allocator(), hash, old->value));
      change(fresh->value.second);
      replace(found, *fresh.release());
    }
    old->retire();
    return true;
  }

  /// Takes the element of the key out; whether there was one.
  bool erase(const Key& key) { return erase_like(key); }
  template <class K>
  requires is_key_like<K>
  bool erase(const K& key) { return erase_like(key); }

  // The whole map.

  /// Calls `visitor` with each element that is in the map all the time, once, and with some of
  /// those that come or go meanwhile. Each in a region of RCU. Keeps the map from growing. Linear.
  template <class Visitor>
  void for_each(Visitor&& visitor) const {
    tables_.for_each_bucket([&](const hash_map::place& bucket) {
      const rcu_region reading;
      for (const hash_map::link* one = table::following(bucket); one != nullptr;
           one = table::following(one->next)) {
        visitor(static_cast<const element*>(one)->value);
      }
    });
  }

  /// Takes all elements out that are there when it comes by. Linear.
  void clear() noexcept {
    // The buckets of tables of any size are stretches of hashes; where the next one begins.
    std::uint64_t start = 0;
    do {
      // Nothing is retired under a lock: that may call any destructor.
      for (hash_map::link* one = tables_.cleared_from(start); one != nullptr;) {
        auto* const gone = static_cast<element*>(one);
        one = one->next.load(std::memory_order_relaxed);
        gone->retire();
      }
    } while (start != 0);
  }

  /// How many elements there are; while others change the map, about how many. A sum over the
  /// stripes.
  [[nodiscard]] size_type size() const noexcept { return tables_.count(); }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }

  [[nodiscard]] size_type bucket_count() const noexcept {
    const rcu_region reading;
    return tables_.current()->buckets();
  }

  /// Sees to it that the map does not grow before it has so many elements. Throws what the
  /// allocator throws. Linear.
  void reserve(size_type elements) {
    const unsigned bits = tables::bits_for(elements);
    tables_.go_over_to([=](unsigned now) { return std::max(now, bits); });
  }

  /// As many buckets as `elements` want, be they more or fewer than now. Throws what the allocator
  /// throws. Linear.
  void rehash(size_type elements) {
    const unsigned bits = tables::bits_for(elements);
    tables_.go_over_to([=](unsigned) { return bits; });
  }

 private:
  using element = hash_map::element<value_type, Allocator>;
  using table = hash_map::table<Allocator>;
  using tables = hash_map::tables<Allocator, Tuning>;
  using stripe = typename tables::stripe;

  /// An element that nobody knows yet.
  struct end_element {
    void operator()(element* one) const noexcept { one->end(); }
  };
  using unfinished = std::unique_ptr<element, end_element>;

  /// Where an element hangs; nowhere: both null.
  struct where {
    hash_map::place* place = nullptr;
    element* what = nullptr;
  };

  /// A writer in a stripe. It is in a region of RCU, too: a table may be replaced while it looks.
  class writing {
   public:
    writing(concurrent_hash_map& map, std::uint64_t hash)
        : map_(map), hash_(hash), own_(map.tables_.stripe_of(hash)), in_(own_.lock) {}

    /// Of the element of the key, in whichever of the tables.
    template <class K>
    [[nodiscard]] where place_of(const K& key) const {
      for (table* now = map_.tables_.current(); now != nullptr; now = now->next()) {
        hash_map::place* at = &now->bucket_of(hash_);
        // relaxed, as all that is read of a chain under its lock.
        while (hash_map::link* const one = at->load(std::memory_order_relaxed)) {
          auto* const seen = static_cast<element*>(one);
          if (one->hash == hash_ && map_.equal_(seen->value.first, key)) return {at, seen};
          at = &one->next;
        }
      }
      return {};
    }

    /// Hangs a new element into the newest table; whether there are too many now.
    [[nodiscard]] bool add(element& fresh) const noexcept {
      table* newest = map_.tables_.current();
      while (table* const next = newest->next()) newest = next;
      table::hang_in_front(newest->bucket_of(hash_), fresh);
      own_.add(1);
      return tables::is_too_full(own_, *newest);
    }

    void remove(const where& found) const noexcept {
      // release: pairs with table::following(): what hangs behind as it was made. Proof:
      // found_whole.
      found.place->store(found.what->next.load(std::memory_order_relaxed),
                         std::memory_order_release);
      own_.add(std::size_t{0} - 1);
    }

   private:
    concurrent_hash_map& map_;
    const std::uint64_t hash_;
    stripe& own_;
    const std::lock_guard<typename tables::mutex_type> in_;
    const rcu_region reading_;
  };

  static void replace(const where& old, element& fresh) noexcept {
    // relaxed: published by the store below.
    fresh.next.store(old.what->next.load(std::memory_order_relaxed), std::memory_order_relaxed);
    // release: pairs with table::following(): the element as it was made. Proof: replaced_at_once.
    old.place->store(&fresh, std::memory_order_release);
  }

  template <class K>
  [[nodiscard]] std::uint64_t hashed(const K& key) const {
    return hash_map::mixed(hash_(key));
  }

  template <class K, class Visitor>
  bool visit_like(const K& key, Visitor&& visitor) const {
    return visit_hashed(hashed(key), key, visitor);
  }

  template <class K, class Visitor>
  bool visit_hashed(std::uint64_t hash, const K& key, Visitor&& visitor) const {
    const rcu_region reading;
    for (table* now = tables_.current(); now != nullptr; now = now->next()) {
      for (const hash_map::link* one = table::following(now->bucket_of(hash)); one != nullptr;
           one = table::following(one->next)) {
        const auto* const seen = static_cast<const element*>(one);
        if (one->hash == hash && equal_(seen->value.first, key)) {
          visitor(seen->value);
          return true;
        }
      }
    }
    return false;
  }

  template <class K>
  [[nodiscard]] std::optional<T> find_like(const K& key) const {
    std::optional<T> copy;
    visit_like(key, [&](const value_type& found) { copy.emplace(found.second); });
    return copy;
  }

  template <class K, class... Arguments>
  bool emplace_unless_there(K&& key, Arguments&&... arguments) {
    const std::uint64_t hash = hashed(key);
    if (visit_hashed(hash, key, [](const value_type&) {})) return false;
    unfinished fresh(element::made(tables_.allocator(), hash, std::piecewise_construct,
                                   std::forward_as_tuple(std::forward<K>(key)),
                                   std::forward_as_tuple(std::forward<Arguments>(arguments)...)));
    bool is_too_many = false;
    {
      const writing in(*this, hash);
      if (in.place_of(fresh->value.first).what != nullptr) return false;
      is_too_many = in.add(*fresh.release());
    }
    if (is_too_many) tables_.grow(hash);
    return true;
  }

  template <class K, class U>
  bool emplace_in_place(K&& key, U&& value) {
    const std::uint64_t hash = hashed(key);
    unfinished fresh(
        element::made(tables_.allocator(), hash, std::forward<K>(key), std::forward<U>(value)));
    element* old = nullptr;
    bool is_too_many = false;
    {
      const writing in(*this, hash);
      const where found = in.place_of(fresh->value.first);
      old = found.what;
      if (old != nullptr) {
        replace(found, *fresh.release());
      } else {
        is_too_many = in.add(*fresh.release());
      }
    }
    if (old != nullptr) old->retire();
    if (is_too_many) tables_.grow(hash);
    return old == nullptr;
  }

  template <class K>
  bool erase_like(const K& key) {
    const std::uint64_t hash = hashed(key);
    element* gone = nullptr;
    {
      const writing in(*this, hash);
      const where found = in.place_of(key);
      if (found.what == nullptr) return false;
      gone = found.what;
      in.remove(found);
    }
    gone->retire();
    return true;
  }

  [[no_unique_address]] Hash hash_;
  [[no_unique_address]] KeyEqual equal_;
  tables tables_;
};

}  // namespace fencepost
