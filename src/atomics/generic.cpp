// SPDX-License-Identifier: MIT
//
// The functions for objects of any size: load, store, exchange, compare-exchange.
#include "exported.hpp"
#include "object.hpp"

namespace fencepost::atomics {
namespace {

auto* bytes(void* buffer) noexcept { return static_cast<unsigned char*>(buffer); }
auto* bytes(const void* buffer) noexcept { return static_cast<const unsigned char*>(buffer); }

}  // namespace

FENCEPOST_EXPORTED("__atomic_load", void, load,
                   (size_t size, const volatile void* object, void* result, int order)) {
  access(
      object, size,
      [=](auto place) noexcept {
        with_load_order(order, [&](auto constant) noexcept {
          place.template load<constant.value>(bytes(result));
        });
      },
      [=](auto place) noexcept { place.load(bytes(result), order); });
}

FENCEPOST_EXPORTED("__atomic_store", void, store,
                   (size_t size, volatile void* object, const void* value, int order)) {
  access(
      object, size,
      [=](auto place) noexcept {
        with_store_order(order, [&](auto constant) noexcept {
          place.template store<constant.value>(bytes(value));
        });
      },
      [=](auto place) noexcept { place.store(bytes(value), order); });
}

FENCEPOST_EXPORTED("__atomic_exchange", void, exchange,
                   (size_t size, volatile void* object, const void* value, void* result,
                    int order)) {
  access(
      object, size,
      [=](auto place) noexcept {
        with_order(order, [&](auto constant) noexcept {
          place.template exchange<constant.value>(bytes(value), bytes(result));
        });
      },
      [=](auto place) noexcept { place.exchange(bytes(value), bytes(result), order); });
}

// int: all of the register is the answer, for compilers that declare it so and those that say bool
FENCEPOST_EXPORTED("__atomic_compare_exchange", int, compare_exchange,
                   (size_t size, volatile void* object, void* expected, const void* value,
                    int success, int failure)) {
  const int order = joined(success, failure);
  return access(
      object, size,
      [=](auto place) noexcept {
        return with_order(order, [&](auto constant) noexcept {
          return place.template compare_exchange<constant.value>(bytes(expected), bytes(value));
        });
      },
      [=](auto place) noexcept {
        return place.compare_exchange(bytes(expected), bytes(value), order);
      });
}

}  // namespace fencepost::atomics
