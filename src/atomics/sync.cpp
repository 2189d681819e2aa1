// SPDX-License-Identifier: MIT
//
// The older functions, __sync_OPERATION_SIZE, which compilers call where they do not inline them:
// those of 16 bytes everywhere, and that of val_compare_and_swap by gcc without any library that
// had it. Each is a full barrier, which on processors other than x86 is more than seq_cst; but a
// lock is taken with acquire, and released with release.
//
// nand is that of gcc since 4.4 and of clang: not-and.
#include "exported.hpp"
#include "sized_object.hpp"

namespace fencepost::atomics {
namespace {

[[gnu::always_inline]] inline void full_barrier() noexcept {
#if !defined(__x86_64__)
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}

template <class Operation, unsigned Size>
[[gnu::always_inline]] inline word_of<Size> fetch(void* object, word_of<Size> value) noexcept {
  full_barrier();
  const word_of<Size> before =
      sized_object<Size>(object).template fetch<Operation>(value, __ATOMIC_SEQ_CST);
  full_barrier();
  return before;
}

/// Returns what the object held.
template <unsigned Size>
[[gnu::always_inline]] inline int swap(void* object, word_of<Size>& expected,
                                       word_of<Size> value) noexcept {
  full_barrier();
  const int swapped = sized_object<Size>(object).compare_exchange(
      reinterpret_cast<unsigned char*>(&expected), value, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  full_barrier();
  return swapped;
}

}  // namespace

#define FENCEPOST_ARITHMETIC(name, size)                                                    \
  FENCEPOST_EXPORTED("__sync_fetch_and_" #name "_" #size, returned_word<size>,              \
                     sync_fetch_and_##name##_##size, (void* object, word_of<size> value)) { \
    return fetch<fetch_##name, size>(object, value);                                        \
  }                                                                                         \
  FENCEPOST_EXPORTED("__sync_" #name "_and_fetch_" #size, returned_word<size>,              \
                     sync_##name##_and_fetch_##size, (void* object, word_of<size> value)) { \
    return fetch_##name::of(fetch<fetch_##name, size>(object, value), value);               \
  }

#define FENCEPOST_SIZED(size)                                                                   \
  FENCEPOST_EXPORTED("__sync_bool_compare_and_swap_" #size, int, bool_compare_and_swap_##size,  \
                     (void* object, word_of<size> expected, word_of<size> value)) {             \
    return swap<size>(object, expected, value);                                                 \
  }                                                                                             \
  FENCEPOST_EXPORTED("__sync_val_compare_and_swap_" #size, returned_word<size>,                 \
                     val_compare_and_swap_##size,                                               \
                     (void* object, word_of<size> expected, word_of<size> value)) {             \
    swap<size>(object, expected, value);                                                        \
    return expected;                                                                            \
  }                                                                                             \
  FENCEPOST_EXPORTED("__sync_lock_test_and_set_" #size, returned_word<size>,                    \
                     lock_test_and_set_##size, (void* object, word_of<size> value)) {           \
    return sized_object<size>(object).exchange(value, __ATOMIC_ACQUIRE);                        \
  }                                                                                             \
  FENCEPOST_EXPORTED("__sync_lock_release_" #size, void, lock_release_##size, (void* object)) { \
    sized_object<size>(object).store(0, __ATOMIC_RELEASE);                                      \
  }                                                                                             \
  FENCEPOST_ARITHMETIC(add, size)                                                               \
  FENCEPOST_ARITHMETIC(sub, size)                                                               \
  FENCEPOST_ARITHMETIC(and, size)                                                               \
  FENCEPOST_ARITHMETIC(or, size)                                                                \
  FENCEPOST_ARITHMETIC(xor, size)                                                               \
  FENCEPOST_ARITHMETIC(nand, size)

FENCEPOST_SIZED(1)
FENCEPOST_SIZED(2)
FENCEPOST_SIZED(4)
FENCEPOST_SIZED(8)
FENCEPOST_SIZED(16)

FENCEPOST_EXPORTED("__sync_synchronize", void, synchronize, ()) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

}  // namespace fencepost::atomics
