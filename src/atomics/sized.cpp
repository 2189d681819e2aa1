// SPDX-License-Identifier: MIT
//
// The functions for objects of 1, 2, 4, 8 and 16 bytes: __atomic_OPERATION_SIZE.
#include "exported.hpp"
#include "sized_object.hpp"

namespace fencepost::atomics {

#define FENCEPOST_ARITHMETIC(name, size)                                                          \
  FENCEPOST_EXPORTED("__atomic_fetch_" #name "_" #size, returned_word<size>,                      \
                     fetch_##name##_##size, (void* object, word_of<size> value, int order)) {     \
    return sized_object<size>(object).fetch<fetch_##name>(value, order);                          \
  }                                                                                               \
  FENCEPOST_EXPORTED("__atomic_" #name "_fetch_" #size, returned_word<size>, name##_fetch_##size, \
                     (void* object, word_of<size> value, int order)) {                            \
    return sized_object<size>(object).change<fetch_##name>(value, order);                         \
  }

#define FENCEPOST_SIZED(size)                                                                 \
  FENCEPOST_EXPORTED("__atomic_load_" #size, returned_word<size>, load_##size,                \
                     (const void* object, int order)) {                                       \
    return sized_object<size>(object).load(order);                                            \
  }                                                                                           \
  FENCEPOST_EXPORTED("__atomic_store_" #size, void, store_##size,                             \
                     (void* object, word_of<size> value, int order)) {                        \
    sized_object<size>(object).store(value, order);                                           \
  }                                                                                           \
  FENCEPOST_EXPORTED("__atomic_exchange_" #size, returned_word<size>, exchange_##size,        \
                     (void* object, word_of<size> value, int order)) {                        \
    return sized_object<size>(object).exchange(value, order);                                 \
  }                                                                                           \
  FENCEPOST_EXPORTED(                                                                         \
      "__atomic_compare_exchange_" #size, int, compare_exchange_##size,                       \
      (void* object, void* expected, word_of<size> value, int success, int failure)) {        \
    return sized_object<size>(object).compare_exchange(static_cast<unsigned char*>(expected), \
                                                       value, success, failure);              \
  }                                                                                           \
  FENCEPOST_EXPORTED("__atomic_test_and_set_" #size, int, test_and_set_##size,                \
                     (void* object, int order)) {                                             \
    return test_and_set<size>(object, order);                                                 \
  }                                                                                           \
  FENCEPOST_ARITHMETIC(add, size)                                                             \
  FENCEPOST_ARITHMETIC(sub, size)                                                             \
  FENCEPOST_ARITHMETIC(and, size)                                                             \
  FENCEPOST_ARITHMETIC(or, size)                                                              \
  FENCEPOST_ARITHMETIC(xor, size)                                                             \
  FENCEPOST_ARITHMETIC(nand, size)

namespace {

/// Of 16 bytes where nobody asked the processor yet, or where locks serve them.
[[gnu::noinline]] int test_and_set_otherwise(void* object, int order) noexcept {
  if (word16::is_native_after_all()) return sized_object<1>(object).exchange(1, order);
  return sized_object<16>(object).exchange(1, order) != 0;
}

/// A flag is the object's first byte, 0 or 1, unless locks serve the object.
template <unsigned Size>
[[gnu::always_inline]] inline int test_and_set(void* object, int order) noexcept {
  if (Size == 16 && !word16::is_known_native()) [[unlikely]] {
    return test_and_set_otherwise(object, order);
  }
  return sized_object<1>(object).exchange(1, order);
}

}  // namespace

FENCEPOST_SIZED(1)
FENCEPOST_SIZED(2)
FENCEPOST_SIZED(4)
FENCEPOST_SIZED(8)
FENCEPOST_SIZED(16)

}  // namespace fencepost::atomics
