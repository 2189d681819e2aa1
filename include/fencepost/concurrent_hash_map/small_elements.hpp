// SPDX-License-Identifier: MIT
//
// Elements that lie in the bucket itself: the tag of an entry is the key, its content the value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "fencepost/concurrent_hash_map/bucket.hpp"

namespace fencepost {

namespace hash_map {

/// Whether == of the enumeration is the language's own: an operator== that can be called by its
/// name is one that somebody has written. It must be declared before the first map of such keys.
template <class Key>
concept plain_enum = std::is_enum_v<Key> && !requires(const Key& key) {
  operator==(key, key);
};

}  // namespace hash_map

/// Whether keys of the type are equal, as KeyEqual says, just if their bytes are. That
/// std::equal_to means == also where it is specialised is a rule of the standard's,
/// [namespace.std]. May be specialised to true for a type of one's own, which must be trivially
/// copyable then and have no padding.
template <class Key, class KeyEqual>
inline constexpr bool hash_map_keys_are_bytes =
    (std::is_integral_v<Key> || hash_map::plain_enum<Key> ||
     std::is_pointer_v<Key>)&&(std::is_same_v<KeyEqual, std::equal_to<Key>> ||
                               std::is_same_v<KeyEqual, std::equal_to<void>>);

namespace hash_map {

/// As a word, the bytes behind which are 0.
template <class Small>
[[nodiscard]] word as_word(const Small& object) noexcept {
  word bytes = 0;
  std::memcpy(&bytes, static_cast<const void*>(std::addressof(object)), sizeof object);
  return bytes;
}

/// What as_word() was passed.
template <class Small>
[[nodiscard]] Small from_word(word bytes) noexcept {
  alignas(Small) std::byte object[sizeof(Small)];
  std::memcpy(object, &bytes, sizeof object);
  return *std::launder(reinterpret_cast<Small*>(object));
}

template <class Object>
inline constexpr bool fits_in_word =
    sizeof(Object) <= sizeof(word) &&
    std::is_trivially_copyable_v<Object>&& std::is_copy_constructible_v<
        Object>&& std::is_trivially_destructible_v<Object>;

template <class Key, class T, class KeyEqual, class Allocator>
struct small_elements {
  using value_type = std::pair<const Key, T>;

  static word tag_of(std::uint64_t, const Key& key) noexcept { return as_word(key); }

  template <class HashOf>
  static std::uint64_t hash_of(word tag, const HashOf& hash_of) {
    return hash_of(from_word<Key>(tag));
  }

  /// A tag says it all.
  static auto matching(const Key&, const KeyEqual&) noexcept {
    return [](word) { return true; };
  }

  /// An element that nobody knows yet.
  class made {
   public:
    template <class... Arguments>
    explicit made(const Allocator&, Arguments&&... arguments)
        : value_(std::forward<Arguments>(arguments)...) {}
    [[nodiscard]] value_type& value() noexcept { return value_; }
    [[nodiscard]] word content() const noexcept { return as_word(value_.second); }
    void is_in_the_map() noexcept {}

   private:
    value_type value_;
  };

  /// Calls `visitor` with the element. In the region in which it was found.
  template <class Visitor>
  static void show(const entry& one, Visitor&& visitor) {
    const value_type copy(from_word<Key>(one.tag), from_word<T>(one.content));
    visitor(copy);
  }

  static void retire(word) noexcept {}
  static void end(word) noexcept {}
};

}  // namespace hash_map
}  // namespace fencepost
