// SPDX-License-Identifier: MIT
//
// The functions for objects of any size: load, store, exchange, compare-exchange.
//
// Words come first: they take a few nanoseconds, of which every register saved would be a good
// part. Then what is too large for a word, which is what these functions are called for most; all
// else is in functions of its own.
#include "exported.hpp"
#include "object.hpp"

namespace fencepost::atomics {
namespace {

auto* bytes(void* buffer) noexcept { return static_cast<unsigned char*>(buffer); }
auto* bytes(const void* buffer) noexcept { return static_cast<const unsigned char*>(buffer); }
auto address_of(const volatile void* object) noexcept {
  return reinterpret_cast<uintptr_t>(object);
}

constexpr size_t largest_word = 16;

auto load_to(unsigned char* result, int order) noexcept {
  return [=](auto place) noexcept {
    with_load_order(order, [&](auto is) noexcept { place.template load<is.value>(result); });
  };
}

auto store_of(const unsigned char* value, int order) noexcept {
  return [=](auto place) noexcept {
    with_store_order(order, [&](auto is) noexcept { place.template store<is.value>(value); });
  };
}

auto exchange_of(const unsigned char* value, unsigned char* result, int order) noexcept {
  return [=](auto place) noexcept {
    with_order(order, [&](auto is) noexcept { place.template exchange<is.value>(value, result); });
  };
}

auto compare_exchange_of(unsigned char* expected, const unsigned char* value, int order) noexcept {
  return [=](auto place) noexcept {
    return with_order(order, [&](auto is) noexcept {
      return place.template compare_exchange<is.value>(expected, value);
    });
  };
}

[[gnu::noinline]] void load_small(size_t size, uintptr_t address, unsigned char* result,
                                  int order) noexcept {
  access_rest(address, size, load_to(result, order),
              [=](auto place) noexcept { place.load(result, order); });
}

[[gnu::noinline]] void store_small(size_t size, uintptr_t address, const unsigned char* value,
                                   int order) noexcept {
  access_rest(address, size, store_of(value, order),
              [=](auto place) noexcept { place.store(value, order); });
}

[[gnu::noinline]] void exchange_small(size_t size, uintptr_t address, const unsigned char* value,
                                      unsigned char* result, int order) noexcept {
  access_rest(address, size, exchange_of(value, result, order),
              [=](auto place) noexcept { place.exchange(value, result, order); });
}

[[gnu::noinline]] bool compare_exchange_small(size_t size, uintptr_t address,
                                              unsigned char* expected, const unsigned char* value,
                                              int order) noexcept {
  return access_rest(
      address, size, compare_exchange_of(expected, value, order),
      [=](auto place) noexcept { return place.compare_exchange(expected, value, order); });
}

}  // namespace

FENCEPOST_EXPORTED("__atomic_load", void, load,
                   (size_t size, const volatile void* object, void* result, int order)) {
  const uintptr_t address = address_of(object);
  access(address, size, load_to(bytes(result), order), [=]() noexcept {
    if (size <= largest_word) return load_small(size, address, bytes(result), order);
    under_locks(address, size).load(bytes(result), order);
  });
}

FENCEPOST_EXPORTED("__atomic_store", void, store,
                   (size_t size, volatile void* object, const void* value, int order)) {
  const uintptr_t address = address_of(object);
  access(address, size, store_of(bytes(value), order), [=]() noexcept {
    if (size <= largest_word) return store_small(size, address, bytes(value), order);
    under_locks(address, size).store(bytes(value), order);
  });
}

FENCEPOST_EXPORTED("__atomic_exchange", void, exchange,
                   (size_t size, volatile void* object, const void* value, void* result,
                    int order)) {
  const uintptr_t address = address_of(object);
  access(address, size, exchange_of(bytes(value), bytes(result), order), [=]() noexcept {
    if (size <= largest_word) {
      return exchange_small(size, address, bytes(value), bytes(result), order);
    }
    under_locks(address, size).exchange(bytes(value), bytes(result), order);
  });
}

// int: all of the register is the answer, for compilers that declare it so and those that say bool
FENCEPOST_EXPORTED("__atomic_compare_exchange", int, compare_exchange,
                   (size_t size, volatile void* object, void* expected, const void* value,
                    int success, int failure)) {
  const uintptr_t address = address_of(object);
  const int order = joined(success, failure);
  return access(
      address, size, compare_exchange_of(bytes(expected), bytes(value), order), [=]() noexcept {
        if (size <= largest_word) {
          return compare_exchange_small(size, address, bytes(expected), bytes(value), order);
        }
        return under_locks(address, size).compare_exchange(bytes(expected), bytes(value), order);
      });
}

}  // namespace fencepost::atomics
