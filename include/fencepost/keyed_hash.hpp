// SPDX-License-Identifier: MIT
//
// A hash function with a secret key, for keys that others choose.
//
//     using name = std::string;
//     fencepost::concurrent_hash_map<name, session, fencepost::keyed_hash<name>> sessions;
//     std::unordered_map<name, session, fencepost::keyed_hash<name>> other_sessions;
//
// std::hash has no secret: who knows it finds any number of keys with the same hash, and a map that
// holds them takes as long for each lookup as a list. This is SipHash, which was made against that.
// Each object that is made by default has a key of its own from the kernel's random numbers; copies
// have the same key, so that a map, and who asks it for its hash_function(), agree.
//
// Keys are integers, enumerators, pointers, and strings of any character type; those may also be
// looked up by a string_view or an array where the map's equality is transparent (std::equal_to<>).
// For others write a function object around siphash().
//
// Guaranteed: the hash is SipHash-c-d with the key, of the bytes of a string, or of the eight bytes
// of a number, the low-order byte first. Not guaranteed: secrecy of the keys of the map, or of the
// hashes: do not show those to others. It is no signature.
//
// Which rounds: SipHash-1-3 by default, as the hash tables of Rust and Python have it. What the
// authors proposed for messages, SipHash-2-4, is keyed_hash<Key, 2, 4>.
//
// Source: J.-P. Aumasson and D. J. Bernstein, "SipHash: a fast short-input PRF" (INDOCRYPT 2012).
#pragma once

#include "fencepost/language.hpp"

#include <unistd.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string_view>
#include <type_traits>

namespace fencepost {

/// What a keyed_hash keeps secret.
struct hash_key {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  /// One that nobody knows. Throws what std::random_device throws, where neither the kernel nor
  /// that has random numbers.
  static hash_key random() {
    hash_key fresh;
    if (::getentropy(&fresh, sizeof fresh) == 0) return fresh;
    std::random_device numbers;
    const auto half = [&] { return std::uint64_t{numbers()} << 32 | numbers(); };
    fresh.low = half();
    fresh.high = half();
    return fresh;
  }

  bool operator==(const hash_key&) const = default;
};

namespace detail {

/// Four words that are mixed with the message, eight bytes at a time.
template <unsigned Rounds, unsigned Last>
class siphash_state {
 public:
  constexpr explicit siphash_state(const hash_key& key) noexcept
      : v0_(key.low ^ 0x736f6d6570736575U),
        v1_(key.high ^ 0x646f72616e646f6dU),
        v2_(key.low ^ 0x6c7967656e657261U),
        v3_(key.high ^ 0x7465646279746573U) {}

  constexpr void add(std::uint64_t word) noexcept {
    v3_ ^= word;
    for (unsigned n = 0; n != Rounds; ++n) round();
    v0_ ^= word;
  }

  constexpr std::uint64_t end() noexcept {
    v2_ ^= 0xff;
    for (unsigned n = 0; n != Last; ++n) round();
    return v0_ ^ v1_ ^ v2_ ^ v3_;
  }

 private:
  constexpr void round() noexcept {
    v0_ += v1_;
    v2_ += v3_;
    v1_ = std::rotl(v1_, 13) ^ v0_;
    v3_ = std::rotl(v3_, 16) ^ v2_;
    v0_ = std::rotl(v0_, 32);
    v2_ += v1_;
    v0_ += v3_;
    v1_ = std::rotl(v1_, 17) ^ v2_;
    v3_ = std::rotl(v3_, 21) ^ v0_;
    v2_ = std::rotl(v2_, 32);
  }

  std::uint64_t v0_;
  std::uint64_t v1_;
  std::uint64_t v2_;
  std::uint64_t v3_;
};

/// Up to eight bytes as a number, the first one lowest.
inline std::uint64_t little_endian(const unsigned char* bytes, std::size_t count) noexcept {
  std::uint64_t word = 0;
  if constexpr (std::endian::native == std::endian::little) {
    std::memcpy(&word, bytes, count);
  } else {
    for (std::size_t n = 0; n != count; ++n) word |= std::uint64_t{bytes[n]} << 8 * n;
  }
  return word;
}

}  // namespace detail

/// SipHash-`Rounds`-`Last` of so many bytes.
template <unsigned Rounds = 1, unsigned Last = 3>
[[nodiscard]] std::uint64_t siphash(const hash_key& key, const void* bytes,
                                    std::size_t count) noexcept {
  detail::siphash_state<Rounds, Last> state(key);
  const auto* at = static_cast<const unsigned char*>(bytes);
  const std::size_t rest = count % 8;
  for (const unsigned char* const end = at + (count - rest); at != end; at += 8) {
    state.add(detail::little_endian(at, 8));
  }
  // The message ends with its length, of which one byte counts.
  const std::uint64_t tail = rest != 0 ? detail::little_endian(at, rest) : 0;
  state.add(tail | static_cast<std::uint64_t>(count) << 56);
  return state.end();
}

namespace detail {

template <class Key>
inline constexpr bool is_a_number = (std::is_integral_v<Key> || std::is_enum_v<Key> ||
                                     std::is_pointer_v<Key>)&&sizeof(Key) <= 8;

template <class Key>
concept string_of_characters = requires(const Key& key) {
  typename Key::traits_type;
  std::basic_string_view<typename Key::value_type, typename Key::traits_type>(key);
};

/// The key, by which all agree on the hash.
class keyed {
 public:
  /// With a key that nobody knows. Throws as hash_key::random() does.
  keyed() : key_(hash_key::random()) {}
  explicit constexpr keyed(const hash_key& key) noexcept : key_(key) {}
  [[nodiscard]] constexpr const hash_key& key() const noexcept { return key_; }

 private:
  hash_key key_;
};

}  // namespace detail

template <class Key, unsigned Rounds = 1, unsigned Last = 3>
class keyed_hash : public detail::keyed {
  static_assert(detail::is_a_number<Key>,
                "keyed_hash knows numbers of up to eight bytes and strings: for other keys write a "
                "function object around siphash()");

 public:
  using keyed::keyed;

  [[nodiscard]] constexpr std::size_t operator()(Key number) const noexcept {
    detail::siphash_state<Rounds, Last> state(key());
    if constexpr (std::is_pointer_v<Key>) {
      state.add(reinterpret_cast<std::uintptr_t>(number));
    } else {
      state.add(static_cast<std::uint64_t>(number));
    }
    state.add(std::uint64_t{8} << 56);
    return static_cast<std::size_t>(state.end());
  }
};

template <detail::string_of_characters Key, unsigned Rounds, unsigned Last>
class keyed_hash<Key, Rounds, Last> : public detail::keyed {
  using view = std::basic_string_view<typename Key::value_type, typename Key::traits_type>;

 public:
  using is_transparent = void;
  using keyed::keyed;

  [[nodiscard]] std::size_t operator()(view characters) const noexcept {
    return static_cast<std::size_t>(siphash<Rounds, Last>(
        key(), characters.data(), characters.size() * sizeof(typename Key::value_type)));
  }
};

}  // namespace fencepost
