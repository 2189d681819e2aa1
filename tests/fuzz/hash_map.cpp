// SPDX-License-Identifier: MIT
// A hash map beside the standard library's, with poor hash functions and good ones, elements in the
// table and elsewhere.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <string>
#include <type_traits>
#include <unordered_map>

#include "choices.hpp"
#include "fencepost/concurrent_hash_map.hpp"
#include "fencepost/keyed_hash.hpp"

namespace {

using fencepost::concurrent_hash_map;
using fencepost::hash_map_tuning;
using fuzz::expect;

/// Throws where it is told to, from then on; 0: never.
inline unsigned calls_until_it_throws = 0;
struct from_a_hash {};

struct few {
  std::size_t operator()(std::uint16_t key) const {
    if (calls_until_it_throws == 1) throw from_a_hash();
    if (calls_until_it_throws != 0) --calls_until_it_throws;
    return key % 3;
  }
};
struct high {
  std::size_t operator()(std::uint16_t key) const { return static_cast<std::size_t>(key) << 53; }
};

template <class Key>
Key key_of(fuzz::choices& input) {
  const std::uint8_t low = input.byte();
  const auto number = static_cast<std::uint16_t>(low % 4 == 0 ? low << 8 | input.byte() : low);
  if constexpr (std::is_same_v<Key, std::string>) {
    return std::string(number % 40, static_cast<char>('a' + number % 26)) + std::to_string(number);
  } else {
    return number;
  }
}

template <class Map>
class beside {
  using key = typename Map::key_type;
  using value = typename Map::mapped_type;

 public:
  beside(Map& map, fuzz::choices& input) : map_(map), input_(input) {}

  void step(unsigned what) {
    const key one = key_of<key>(input_);
    const value fresh = value_of(++counted_);
    switch (what % 16) {
      case 0:
        expect(map_.insert({one, fresh}) == model_.insert({one, fresh}).second);
        break;
      case 1:
      case 2:
      case 3:
        expect(map_.try_emplace(one, fresh) == model_.try_emplace(one, fresh).second);
        break;
      case 4:
      case 5:
        expect(map_.insert_or_assign(one, fresh) == model_.insert_or_assign(one, fresh).second);
        break;
      case 6: {
        const auto found = model_.find(one);
        if (found != model_.end()) found->second = fresh;
        expect(map_.modify(one, [&](value& old) { old = fresh; }) == (found != model_.end()));
        break;
      }
      case 7:
      case 8:
      case 9:
        expect(map_.erase(one) == (model_.erase(one) == 1));
        break;
      case 10: {
        const key keys[] = {one, key_of<key>(input_), one};
        std::size_t there = 0;
        for (const key& each : keys) there += model_.count(each);
        expect(map_.visit(std::begin(keys), std::end(keys), [](const auto&) {}) == there);
        break;
      }
      case 11:
        many(one, fresh);
        break;
      case 12:
        map_.rehash(input_.byte() * 4U);
        break;
      case 13:
        map_.reserve(input_.byte() * 4U);
        break;
      case 14:
        if (input_.below(8) == 0) {
          map_.clear();
          model_.clear();
        }
        break;
      default:
        same();
    }
    const auto found = map_.find(one);
    const auto expected = model_.find(one);
    expect(found.has_value() == (expected != model_.end()));
    if (found.has_value()) expect(*found == expected->second);
    expect(map_.size() == model_.size());
  }

  void same() const {
    std::size_t seen = 0;
    map_.for_each([&](const auto& element) {
      const auto expected = model_.find(element.first);
      expect(expected != model_.end() && expected->second == element.second);
      ++seen;
    });
    expect(seen == model_.size());
  }

 private:
  static value value_of(unsigned number) {
    if constexpr (std::is_same_v<value, std::string>) {
      return std::to_string(number);
    } else {
      return static_cast<value>(number);
    }
  }

  /// So that buckets fill up, and tables grow, within a short input.
  void many(const key& from, const value& fresh) {
    for (unsigned n = input_.below(64); n != 0; --n) {
      if constexpr (std::is_same_v<key, std::string>) {
        const key one = from + static_cast<char>('A' + n % 26) + std::to_string(n);
        expect(map_.try_emplace(one, fresh) == model_.try_emplace(one, fresh).second);
      } else {
        const auto one = static_cast<key>(from + 3 * n);
        expect(map_.try_emplace(one, fresh) == model_.try_emplace(one, fresh).second);
      }
    }
  }

  Map& map_;
  fuzz::choices& input_;
  std::unordered_map<key, value> model_;
  unsigned counted_ = 0;
};

constexpr hash_map_tuning small{.stripe_bits = 1, .smallest_bits = 1};

template <class Key, class Value, class Hash>
using map_of = concurrent_hash_map<Key, Value, Hash, std::equal_to<Key>,
                                   std::allocator<std::pair<const Key, Value>>, small>;

template <class Map>
void run(fuzz::choices& input, Map&& map) {
  beside<std::remove_reference_t<Map>> both(map, input);
  while (input.more()) both.step(input.byte());
  both.same();
}

/// What a hash function throws while the map grows, or is asked, leaves it as it was.
void run_with_exceptions(fuzz::choices& input) {
  map_of<std::uint16_t, std::uint32_t, few> map;
  std::unordered_map<std::uint16_t, std::uint32_t> model;
  while (input.more()) {
    const auto key = key_of<std::uint16_t>(input);
    const unsigned what = input.byte();
    calls_until_it_throws = input.below(32);
    try {
      if (what % 4 == 0) {
        if (map.erase(key)) expect(model.erase(key) == 1);
      } else if (what % 16 == 1) {
        map.rehash(what * 2U);
      } else if (map.insert({key, what})) {
        expect(model.insert({key, what}).second);
      }
    } catch (const from_a_hash&) {
    }
    calls_until_it_throws = 0;
    expect(map.size() == model.size());
    expect(map.contains(key) == model.contains(key));
  }
  for (const auto& [key, value] : model) expect(map.find(key) == value);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::choices input(data, size);
  switch (input.below(6)) {
    case 0:
      run(input, map_of<std::uint16_t, std::uint32_t, std::hash<std::uint16_t>>());
      break;
    case 1:
      run(input, map_of<std::uint16_t, std::uint32_t, few>());
      break;
    case 2:
      run(input, map_of<std::uint16_t, std::string, high>());
      break;
    case 3:
      run(input, map_of<std::string, std::uint64_t, fencepost::keyed_hash<std::string>>(
                     0, fencepost::keyed_hash<std::string>({1, 2})));
      break;
    case 4:
      run(input, map_of<std::uint16_t, std::string, few>());
      break;
    default:
      run_with_exceptions(input);
  }
  return 0;
}
