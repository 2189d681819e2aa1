// SPDX-License-Identifier: MIT
//
// An element of a map: allocated by itself, found through a link, never changed or moved until RCU
// ends it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "fencepost/rcu.hpp"

namespace fencepost::hash_map {

/// What readers follow. A place is where a link hangs: a bucket, or the link before.
struct link {
  std::atomic<link*> next{nullptr};
  std::uint64_t hash = 0;
};
using place = std::atomic<link*>;

/// A value in memory that is there before it is. What readers look at lies in front of what only
/// writers need, in one cache line where the value is small.
template <class Value>
struct holder : link {
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
  static element* made(const Allocator& from, std::uint64_t hash, Arguments&&... arguments) {
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
    traits::construct(own, &unfinished.object->value, std::forward<Arguments>(arguments)...);
    unfinished.object->hash = hash;
    return std::exchange(unfinished.object, nullptr);
  }

  explicit element(const allocator& from) noexcept : allocator_(from) {}
  element(const element&) = delete;
  element& operator=(const element&) = delete;
  ~element() = default;

  void end() noexcept {
    allocator own(allocator_);
    traits::destroy(own, &this->value);
    std::destroy_at(this);
    traits::deallocate(own, this, 1);
  }

 private:
  [[no_unique_address]] allocator allocator_;
};

}  // namespace fencepost::hash_map
