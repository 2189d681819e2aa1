// SPDX-License-Identifier: MIT
//
// Elements that are allocated one by one, never changed or moved until RCU ends them: the tag of an
// entry is the hash, its content the element's address.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "fencepost/concurrent_hash_map/bucket.hpp"
#include "fencepost/rcu.hpp"

namespace fencepost::hash_map {

/// A value in memory that is there before it is, in front of what only writers need.
template <class Value>
struct holder {
  holder() noexcept {}
  holder(const holder&) = delete;
  holder& operator=(const holder&) = delete;
  ~holder() {}
  union {
    Value value;
  };
};

struct ends_itself {
  template <class Object>
  void operator()(Object* object) const noexcept {
    object->end();
  }
};

template <class Value, class Allocator>
class element : public holder<Value>, public rcu_obj_base<element<Value, Allocator>, ends_itself> {
  using allocator = typename std::allocator_traits<Allocator>::template rebind_alloc<element>;
  using traits = std::allocator_traits<allocator>;

 public:
  /// Throws what the allocator and the constructor of the value throw.
  template <class... Arguments>
  static element* made(const Allocator& from, Arguments&&... arguments) {
    allocator own(from);
    struct memory {
      ~memory() {
        if (object == nullptr) return;
        std::destroy_at(object);
        traits::deallocate(from, object, 1);
      }
      allocator& from;
      element* object;
    } unfinished{own, traits::allocate(own, 1)};
    std::construct_at(unfinished.object, own);
    traits::construct(own, std::addressof(unfinished.object->value),
                      std::forward<Arguments>(arguments)...);
    return std::exchange(unfinished.object, nullptr);
  }

  explicit element(const allocator& from) noexcept : allocator_(from) {}
  element(const element&) = delete;
  element& operator=(const element&) = delete;
  ~element() = default;

  void end() noexcept {
    allocator own(allocator_);
    traits::destroy(own, std::addressof(this->value));
    std::destroy_at(this);
    traits::deallocate(own, this, 1);
  }

 private:
  [[no_unique_address]] allocator allocator_;
};

template <class Key, class T, class KeyEqual, class Allocator>
struct allocated_elements {
  using value_type = std::pair<const Key, T>;
  using element = hash_map::element<value_type, Allocator>;

  template <class K>
  static word tag_of(std::uint64_t hash, const K&) noexcept {
    return hash;
  }

  template <class HashOf>
  static std::uint64_t hash_of(word tag, const HashOf&) noexcept {
    return tag;
  }

  template <class K>
  static auto matching(const K& key, const KeyEqual& equal) noexcept {
    return [&](word content) { return equal(at(content).value.first, key); };
  }

  /// An element that nobody knows yet.
  class made {
   public:
    template <class... Arguments>
    explicit made(const Allocator& from, Arguments&&... arguments)
        : element_(element::made(from, std::forward<Arguments>(arguments)...)) {}
    [[nodiscard]] value_type& value() noexcept { return element_->value; }
    [[nodiscard]] word content() const noexcept { return reinterpret_cast<word>(element_.get()); }
    void is_in_the_map() noexcept { static_cast<void>(element_.release()); }

   private:
    std::unique_ptr<element, ends_itself> element_;
  };

  /// Calls `visitor` with the element. In the region in which it was found.
  template <class Visitor>
  static void show(const entry& one, Visitor&& visitor) {
    visitor(std::as_const(at(one.content).value));
  }

  static void retire(word content) noexcept { at(content).retire(); }
  static void end(word content) noexcept { at(content).end(); }

 private:
  static element& at(word content) noexcept { return *reinterpret_cast<element*>(content); }
};

}  // namespace fencepost::hash_map
