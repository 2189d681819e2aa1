// SPDX-License-Identifier: MIT
//
// A hash map whose readers take no lock and write nothing but a word of their own thread: a lookup
// is sixteen bytes of fingerprints and the cache line of an entry, if there is one, in a region of
// RCU, on however many processors.
//
//     fencepost::concurrent_hash_map<std::string, session> sessions;
//
//     sessions.insert_or_assign("k", session{…});                     // writers lock a stripe
//     std::optional<session> copy = sessions.find("k");               // readers lock nothing
//     sessions.visit("k", [](const auto& one) { use(one.second); });  // without a copy
//     sessions.modify("k", [](session& copy) { ++copy.requests; });   // replaces it by the copy
//     sessions.erase("k");
//     sessions.visit(keys.begin(), keys.end(), visitor);              // many at a time
//
// Guaranteed:
// * find(), visit() and contains() never wait: not for writers, nor for the map to grow. They write
//   nothing but the thread's own word (rcu.hpp). While one looks, an element that is erased from
//   the same cache line may have it look again: one turn for each.
// * Each of insert(), try_emplace(), insert_or_assign(), modify() and erase() takes effect at one
//   moment, also to who looks while the map grows: a key that is there all the time is found, one
//   that is not is not, and of a key that is assigned one value or the other. Proofs:
//   found_while_growing, nothing_is_found_while_growing, replaced_at_once, inserted_once,
//   found_from_then_on.
// * What precedes the insertion of an element happens before what follows the finding of it. Proof:
//   found_whole.
// * What a visitor is passed exists until it returns, and is const. Proof:
//   no_access_after_reclamation. It is a copy where the key is an integer, a pointer or an
//   enumerator without an operator== of its own, and the value anything of at most eight bytes that
//   is trivially copyable (concurrent_hash_map/small_elements.hpp); else it is the element, which
//   is never moved.
// * An exception out of a hash function, an equality, a constructor, a visitor or the allocator
//   leaves the map as it was. If there is no memory to grow, it stays as small as it is.
// Not guaranteed: an order of the elements; when an element that was erased or replaced is
// destroyed, and in which thread: some time after, when the regions of RCU that were open are
// closed. rcu_barrier() waits for it. A reader that sleeps in a visitor delays that for everything
// that is retired in the process.
//
// How it works. An array of buckets of fifteen places for entries of two words: key and value where
// both are small, else the hash and a pointer to the element. A byte of each one's hash lies apart
// from the entries (concurrent_hash_map/fingerprints.hpp), so that what is not there costs one
// cache miss in an array of a sixteenth of the size. A writer locks one of the stripes, by the hash
// of its key, and each change is one store (concurrent_hash_map/part.hpp). When a stripe has more
// than about ten elements for each bucket, the thread that made it so doubles the array: bucket by
// bucket, entries are copied to the new one (concurrent_hash_map/table.hpp), and writers wait for
// no more than a few buckets. The array does not shrink by itself; rehash() makes it do so.
//
// The default hash function, std::hash, has no secret: who chooses the keys can choose thousands of
// one hash, and each operation on one of them then looks at all of them, under a lock of the map's
// where it changes something. For keys that others choose there is keyed_hash.hpp:
//     fencepost::concurrent_hash_map<std::string, session, fencepost::keyed_hash<std::string>>
//
// The hash function and the equality are called by several threads at a time. What is called while
// a stripe is locked, the equality, the copy and the function of modify(), must not use the map.
// Visitors may, but those of for_each() must not call for_each(), clear(), reserve() and rehash().
// Functions of modify() and visitors of for_each() that use other maps do so in one order of the
// maps, as with any locks. Destructors of elements may do anything, but use a map that is being
// destroyed: a thread that holds a lock of a map calls no deleters of RCU. Nothing here is for
// signal handlers.
//
// Sources: M. Kulukundis, "Designing a Fast, Efficient, Cache-friendly Hash Table, Step by Step"
// (CppCon 2017), for the fingerprints; P. McKenney and J. Slingwine, "Read-Copy Update" (PDCS
// 1998). Names are of C++'s unordered_map where it has such a function, visit() is Boost's, for one
// key and for many.
#pragma once

#include "fencepost/language.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "fencepost/concurrent_hash_map/allocated_elements.hpp"
#include "fencepost/concurrent_hash_map/batch.hpp"
#include "fencepost/concurrent_hash_map/bucket.hpp"
#include "fencepost/concurrent_hash_map/small_elements.hpp"
#include "fencepost/concurrent_hash_map/table.hpp"
#include "fencepost/concurrent_hash_map/tables.hpp"
#include "fencepost/concurrent_hash_map/writer.hpp"
#include "fencepost/rcu.hpp"

namespace fencepost {

template <class Key, class T, class Hash = std::hash<Key>, class KeyEqual = std::equal_to<Key>,
          class Allocator = std::allocator<std::pair<const Key, T>>,
          hash_map_tuning Tuning = hash_map_tuning{}>
class concurrent_hash_map {
  static_assert(Tuning.stripe_bits >= 1 && Tuning.stripe_bits <= Tuning.smallest_bits &&
                Tuning.smallest_bits <= hash_map::table<Allocator>::most_bits);
  static_assert(std::is_pointer_v<typename std::allocator_traits<Allocator>::pointer>,
                "links are plain pointers");

  static constexpr bool is_transparent = requires {
    typename Hash::is_transparent;
    typename KeyEqual::is_transparent;
  };
  template <class K>
  static constexpr bool is_key_like = is_transparent && !std::is_same_v<K, Key>;

  /// Whether elements lie in the buckets themselves.
  static constexpr bool is_small = hash_map_keys_are_bytes<Key, KeyEqual> &&
                                   hash_map::fits_in_word<Key> && hash_map::fits_in_word<T> &&
                                   !is_transparent;

 public:
  using key_type = Key;
  using mapped_type = T;
  using value_type = std::pair<const Key, T>;
  using size_type = std::size_t;
  using hasher = Hash;
  using key_equal = KeyEqual;
  using allocator_type = Allocator;

  /// An empty map, with buckets for as many elements. Throws what the allocator throws.
  explicit concurrent_hash_map(size_type count = 0, const Hash& hash = Hash(),
                               const KeyEqual& equal = KeyEqual(),
                               const Allocator& allocator = Allocator())
      : hash_(hash), equal_(equal), tables_(allocator, count) {}

  concurrent_hash_map(const concurrent_hash_map&) = delete;
  concurrent_hash_map& operator=(const concurrent_hash_map&) = delete;

  /// Destroys the elements that are in the map. Nobody uses it any more. Those that were erased may
  /// be destroyed later; where allocators are not all equal it waits for them, so that the
  /// allocator may go, as by rcu_barrier(): then not within a region, a visitor or a deleter.
  /// Linear.
  ~concurrent_hash_map() {
    tables_.for_each_bucket([](const hash_map::bucket& each) {
      each.for_each([](const hash_map::entry& one) { elements::end(one.content); });
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

  /// Calls `visitor` with the element of each of the keys from `first` to `last` that is there, in
  /// no order, in a region of RCU for some keys; how many there are. Each is looked up as by
  /// itself, but they wait for memory together.
  template <std::forward_iterator Iterator, class Visitor>
  requires std::is_same_v<std::iter_value_t<Iterator>, Key> &&
      std::is_lvalue_reference_v<std::iter_reference_t<Iterator>>
          size_type visit(Iterator first, Iterator last, Visitor&& visitor)
  const {
    size_type found = 0;
    while (first != last) {
      hash_map::batch<concurrent_hash_map> some(*this);
      for (; first != last && !some.is_full(); ++first) some.add(*first);
      found += some.visit(visitor);
    }
    return found;
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
    const word tag = elements::tag_of(hash, key);
    word old = 0;
    std::optional<made> fresh;  // destroyed, where something throws, when nothing is locked
    {
      const writer in(tables_, hash);
      const place found = in.place_of(tag, elements::matching(key, equal_));
      if (!found.in) return false;
      old = found.in.own(found.number).content;
      elements::show({tag, old},
                     [&](const value_type& now) { fresh.emplace(tables_.allocator(), now); });
      change(fresh->value().second);
      found.in.replace(found.number, fresh->content());
      fresh->is_in_the_map();
    }
    elements::retire(old);
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
    tables_.for_each_bucket([&](const bucket& each) {
      const rcu_region reading;
      each.visit_all([&](const hash_map::entry& one) { elements::show(one, visitor); });
    });
  }

  /// Takes all elements out that are there when it comes by. Linear.
  void clear() noexcept {
    std::uint64_t hash = 0;
    for (bool more = true; more;) {
      // Nothing is retired under a lock: that may call any destructor.
      std::array<word, 32> gone;
      std::size_t count = 0;
      more = tables_.clear_bucket(hash, [&](word content) {
        if (count == gone.size()) return false;
        gone[count++] = content;
        return true;
      });
      for (std::size_t n = 0; n != count; ++n) elements::retire(gone[n]);
    }
  }

  /// How many elements there are; while others change the map, about how many. A sum over the
  /// stripes.
  [[nodiscard]] size_type size() const noexcept { return tables_.count(); }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }

  [[nodiscard]] size_type bucket_count() const noexcept {
    const rcu_region reading;
    return tables_.current()->buckets();
  }

  /// As many buckets as `count` elements want, if there are fewer now. The map
  /// grows when one of its stripes has too many, so it may still grow before it has `count`: by
  /// chance when some percent are missing, and with a hash function that favours some stripes much
  /// earlier. Throws what the allocator throws. Linear.
  void reserve(size_type count) {
    const unsigned bits = tables::bits_for(count);
    tables_.go_over_to([=](unsigned now) { return std::max(now, bits); }, hash_of_tag());
  }

  /// As many buckets as `count` elements want, be they more or fewer than now. Throws what the
  /// allocator throws. Linear.
  void rehash(size_type count) {
    const unsigned bits = tables::bits_for(count);
    tables_.go_over_to([=](unsigned) { return bits; }, hash_of_tag());
  }

 private:
  using elements =
      std::conditional_t<is_small, hash_map::small_elements<Key, T, KeyEqual, Allocator>,
                         hash_map::allocated_elements<Key, T, KeyEqual, Allocator>>;
  using made = typename elements::made;
  using word = hash_map::word;
  using bucket = hash_map::bucket;
  using place = bucket::place;
  using table = hash_map::table<Allocator>;
  using tables = hash_map::tables<Allocator, Tuning>;
  using writer = hash_map::writer<tables>;
  friend hash_map::batch<concurrent_hash_map>;

  template <class K>
  [[nodiscard]] std::uint64_t hashed(const K& key) const {
    return hash_map::mixed(hash_(key));
  }

  /// What a table asks for the hash of a tag, when it grows.
  [[nodiscard]] auto hash_of_tag() const noexcept {
    return [this](word tag) {
      return elements::hash_of(tag, [this](const Key& key) { return hashed(key); });
    };
  }

  template <class K, class Visitor>
  bool visit_like(const K& key, Visitor&& visitor) const {
    const rcu_region reading;
    const std::uint64_t hash = hashed(key);
    return visit_hashed(hash, elements::tag_of(hash, key), key, visitor);
  }

  /// In a region.
  template <class K, class Visitor>
  bool visit_hashed(std::uint64_t hash, word tag, const K& key, Visitor&& visitor) const {
    word content = 0;
    for (table* now = tables_.current();; now = now->next()) {
      switch (now->bucket_of(hash).find(now->print_of(hash), tag, content,
                                        elements::matching(key, equal_))) {
        case hash_map::outcome::found:
          elements::show({tag, content}, visitor);
          return true;
        case hash_map::outcome::missing:
          return false;
        case hash_map::outcome::changed:
          break;
      }
    }
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
    const word tag = elements::tag_of(hash, key);
    {
      const rcu_region reading;
      if (visit_hashed(hash, tag, key, [](const value_type&) {})) return false;
    }
    made fresh(tables_.allocator(), std::piecewise_construct,
               std::forward_as_tuple(std::forward<K>(key)),
               std::forward_as_tuple(std::forward<Arguments>(arguments)...));
    bool is_too_many = false;
    {
      const writer in(tables_, hash);
      const place where = in.place_of(tag, elements::matching(fresh.value().first, equal_));
      if (where.in) return false;
      in.add(where, {tag, fresh.content()});
      fresh.is_in_the_map();
      is_too_many = in.has_too_many();
    }
    if (is_too_many) tables_.grow(hash, hash_of_tag());
    return true;
  }

  template <class K, class U>
  bool emplace_in_place(K&& key, U&& value) {
    const std::uint64_t hash = hashed(key);
    const word tag = elements::tag_of(hash, key);
    made fresh(tables_.allocator(), std::forward<K>(key), std::forward<U>(value));
    std::optional<word> old;
    bool is_too_many = false;
    {
      const writer in(tables_, hash);
      const place where = in.place_of(tag, elements::matching(fresh.value().first, equal_));
      if (!where.in) {
        in.add(where, {tag, fresh.content()});
        is_too_many = in.has_too_many();
      } else {
        old = where.in.own(where.number).content;
        where.in.replace(where.number, fresh.content());
      }
      fresh.is_in_the_map();
    }
    if (old.has_value()) elements::retire(*old);
    if (is_too_many) tables_.grow(hash, hash_of_tag());
    return !old.has_value();
  }

  template <class K>
  bool erase_like(const K& key) {
    const std::uint64_t hash = hashed(key);
    const word tag = elements::tag_of(hash, key);
    word gone = 0;
    {
      const writer in(tables_, hash);
      const place found = in.place_of(tag, elements::matching(key, equal_));
      if (!found.in) return false;
      gone = found.in.own(found.number).content;
      in.remove(found);
    }
    elements::retire(gone);
    return true;
  }

  [[no_unique_address]] Hash hash_;
  [[no_unique_address]] KeyEqual equal_;
  tables tables_;
};

}  // namespace fencepost
