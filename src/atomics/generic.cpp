// SPDX-License-Identifier: MIT
//
// The functions for objects of any size: load, store, exchange, compare-exchange.
//
// Words come first: they take a few nanoseconds, of which every register saved would be a good
// part. All else is in functions of its own.
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

auto load_of(unsigned char* result, int order) noexcept {
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
  return [=](auto place) noexcept -> int {
    return with_order(order, [&](auto is) noexcept {
      return place.template compare_exchange<is.value>(expected, value);
    });
  };
}

// Whatever is no word of 8 bytes or fewer: functions of their own, so that words have no frame. All
// have the same arguments in the same places, so that one ends with a jump to the next.

[[gnu::noinline]] void load_locked(size_t size, uintptr_t address, unsigned char* result,
                                   int order) noexcept {
  return under_locks(address, size).load(result, order);
}
[[gnu::noinline]] void load_16(size_t, uintptr_t address, unsigned char* result,
                               int order) noexcept {
  return load_of(result, order)(whole_word<16>(address));
}
[[gnu::noinline]] void load_small(size_t size, uintptr_t address, unsigned char* result,
                                  int order) noexcept {
  if (is_word16(address, size)) return load_16(size, address, result, order);
  return access_rest(address, size, load_of(result, order),
                     [=]() noexcept { return load_locked(size, address, result, order); });
}

[[gnu::noinline]] void store_locked(size_t size, uintptr_t address, const unsigned char* value,
                                    int order) noexcept {
  return under_locks(address, size).store(value, order);
}
[[gnu::noinline]] void store_16(size_t, uintptr_t address, const unsigned char* value,
                                int order) noexcept {
  return store_of(value, order)(whole_word<16>(address));
}
[[gnu::noinline]] void store_small(size_t size, uintptr_t address, const unsigned char* value,
                                   int order) noexcept {
  if (is_word16(address, size)) return store_16(size, address, value, order);
  return access_rest(address, size, store_of(value, order),
                     [=]() noexcept { return store_locked(size, address, value, order); });
}

[[gnu::noinline]] void exchange_locked(size_t size, uintptr_t address, const unsigned char* value,
                                       unsigned char* result, int order) noexcept {
  return under_locks(address, size).exchange(value, result, order);
}
[[gnu::noinline]] void exchange_16(size_t, uintptr_t address, const unsigned char* value,
                                   unsigned char* result, int order) noexcept {
  return exchange_of(value, result, order)(whole_word<16>(address));
}
[[gnu::noinline]] void exchange_small(size_t size, uintptr_t address, const unsigned char* value,
                                      unsigned char* result, int order) noexcept {
  if (is_word16(address, size)) return exchange_16(size, address, value, result, order);
  return access_rest(address, size, exchange_of(value, result, order), [=]() noexcept {
    return exchange_locked(size, address, value, result, order);
  });
}

[[gnu::noinline]] int compare_exchange_locked(size_t size, uintptr_t address,
                                              unsigned char* expected, const unsigned char* value,
                                              int order) noexcept {
  return under_locks(address, size).compare_exchange(expected, value, order);
}
[[gnu::noinline]] int compare_exchange_16(size_t, uintptr_t address, unsigned char* expected,
                                          const unsigned char* value, int order) noexcept {
  return compare_exchange_of(expected, value, order)(whole_word<16>(address));
}
[[gnu::noinline]] int compare_exchange_small(size_t size, uintptr_t address,
                                             unsigned char* expected, const unsigned char* value,
                                             int order) noexcept {
  if (is_word16(address, size)) return compare_exchange_16(size, address, expected, value, order);
  return access_rest(address, size, compare_exchange_of(expected, value, order), [=]() noexcept {
    return compare_exchange_locked(size, address, expected, value, order);
  });
}

}  // namespace

FENCEPOST_EXPORTED("__atomic_load", void, load,
                   (size_t size, const volatile void* object, void* result, int order)) {
  const uintptr_t address = address_of(object);
  access(address, size, load_of(bytes(result), order), [=]() noexcept {
    return size <= largest_word ? load_small(size, address, bytes(result), order)
                                : load_locked(size, address, bytes(result), order);
  });
}

FENCEPOST_EXPORTED("__atomic_store", void, store,
                   (size_t size, volatile void* object, const void* value, int order)) {
  const uintptr_t address = address_of(object);
  access(address, size, store_of(bytes(value), order), [=]() noexcept {
    return size <= largest_word ? store_small(size, address, bytes(value), order)
                                : store_locked(size, address, bytes(value), order);
  });
}

FENCEPOST_EXPORTED("__atomic_exchange", void, exchange,
                   (size_t size, volatile void* object, const void* value, void* result,
                    int order)) {
  const uintptr_t address = address_of(object);
  access(address, size, exchange_of(bytes(value), bytes(result), order), [=]() noexcept {
    return size <= largest_word
               ? exchange_small(size, address, bytes(value), bytes(result), order)
               : exchange_locked(size, address, bytes(value), bytes(result), order);
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
        return size <= largest_word
                   ? compare_exchange_small(size, address, bytes(expected), bytes(value), order)
                   : compare_exchange_locked(size, address, bytes(expected), bytes(value), order);
      });
}

}  // namespace fencepost::atomics
