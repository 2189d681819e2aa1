/* SPDX-License-Identifier: MIT */
/*
 * The operations by the functions __sync_*, which know no order but the strictest, no load, no
 * store and no exchange.
 *
 * A load and a store are plain accesses of a word between fences, as their order asks: one fence
 * after a load that acquires, one before a store that releases, both around what is seq_cst. That
 * is at least as much as any compiler does for the same order, on either side of the access, and
 * holds together with objects that are accessed by what another compiler makes of them. All that
 * writes after it has read is one __sync_* operation, or a loop of them, and a full barrier.
 *
 * Sizes that have no instruction, or that are more than the processor reads at once, go to the
 * library. Its functions have the names of compilers' own here, with other arguments, so they are
 * declared by different ones.
 */
#pragma once

extern void fencepost_atomic_any_load(__SIZE_TYPE__, const volatile void*, void*,
                                      int) __asm__("__atomic_load");
extern void fencepost_atomic_any_store(__SIZE_TYPE__, volatile void*, const void*,
                                       int) __asm__("__atomic_store");
extern void fencepost_atomic_any_exchange(__SIZE_TYPE__, volatile void*, const void*, void*,
                                          int) __asm__("__atomic_exchange");
extern fencepost_atomic_bool_value fencepost_atomic_any_compare_exchange(
    __SIZE_TYPE__, volatile void*, void*, const void*, int,
    int) __asm__("__atomic_compare_exchange");
extern fencepost_atomic_bool_value fencepost_atomic_any_is_lock_free(
    __SIZE_TYPE__, const volatile void*) __asm__("__atomic_is_lock_free");

/* Words that may be parts of any object. */
#if defined(__GCC_HAVE_SYNC_COMPARE_AND_SWAP_1)
#define FENCEPOST_ATOMIC_HAS_1 1
typedef unsigned char __attribute__((__may_alias__)) fencepost_atomic_word_1;
#define FENCEPOST_ATOMIC_FOR_1(do_for) do_for(1)
#else
#define FENCEPOST_ATOMIC_HAS_1 0
#define FENCEPOST_ATOMIC_FOR_1(do_for)
#endif
#if defined(__GCC_HAVE_SYNC_COMPARE_AND_SWAP_2)
#define FENCEPOST_ATOMIC_HAS_2 1
typedef unsigned short __attribute__((__may_alias__)) fencepost_atomic_word_2;
#define FENCEPOST_ATOMIC_FOR_2(do_for) do_for(2)
#else
#define FENCEPOST_ATOMIC_HAS_2 0
#define FENCEPOST_ATOMIC_FOR_2(do_for)
#endif
#if defined(__GCC_HAVE_SYNC_COMPARE_AND_SWAP_4)
#define FENCEPOST_ATOMIC_HAS_4 1
typedef unsigned __attribute__((__may_alias__)) fencepost_atomic_word_4;
#define FENCEPOST_ATOMIC_FOR_4(do_for) do_for(4)
#else
#define FENCEPOST_ATOMIC_HAS_4 0
#define FENCEPOST_ATOMIC_FOR_4(do_for)
#endif
/* 8 bytes where those are one access. */
#if defined(__GCC_HAVE_SYNC_COMPARE_AND_SWAP_8) && defined(__LP64__)
#define FENCEPOST_ATOMIC_HAS_8 1
typedef unsigned long __attribute__((__may_alias__)) fencepost_atomic_word_8;
#define FENCEPOST_ATOMIC_FOR_8(do_for) do_for(8)
#else
#define FENCEPOST_ATOMIC_HAS_8 0
#define FENCEPOST_ATOMIC_FOR_8(do_for)
#endif
#define FENCEPOST_ATOMIC_FOR_EACH_WORD(do_for) \
  FENCEPOST_ATOMIC_FOR_1(do_for)               \
  FENCEPOST_ATOMIC_FOR_2(do_for)               \
  FENCEPOST_ATOMIC_FOR_4(do_for)               \
  FENCEPOST_ATOMIC_FOR_8(do_for)

/* Whether objects of so many bytes are served by __sync_*. */
#define FENCEPOST_ATOMIC_IS_WORD(size)                                                   \
  (((size) == 1 && FENCEPOST_ATOMIC_HAS_1) || ((size) == 2 && FENCEPOST_ATOMIC_HAS_2) || \
   ((size) == 4 && FENCEPOST_ATOMIC_HAS_4) || ((size) == 8 && FENCEPOST_ATOMIC_HAS_8))

#define FENCEPOST_ATOMIC_INLINE static __inline__ __attribute__((__always_inline__, __unused__))

FENCEPOST_ATOMIC_INLINE void fencepost_atomic_fence(int needed) {
  if (needed) __sync_synchronize();
}

/* One word of `size` bytes is read from the object. */
#define FENCEPOST_ATOMIC_LOAD_WORD(size)                       \
  case size: {                                                 \
    const fencepost_atomic_word_##size word =                  \
        *(const volatile fencepost_atomic_word_##size*)object; \
    __builtin_memcpy(result, &word, size);                     \
    break;                                                     \
  }
FENCEPOST_ATOMIC_INLINE void fencepost_atomic_load(__SIZE_TYPE__ size, const volatile void* object,
                                                   void* result, int order) {
  if (!FENCEPOST_ATOMIC_IS_WORD(size)) {
    fencepost_atomic_any_load(size, object, result, order);
    return;
  }
  fencepost_atomic_fence(order == memory_order_seq_cst);
  switch (size) { FENCEPOST_ATOMIC_FOR_EACH_WORD(FENCEPOST_ATOMIC_LOAD_WORD) }
  fencepost_atomic_fence(order != memory_order_relaxed);
}

/* One word of `size` bytes is written to the object. */
#define FENCEPOST_ATOMIC_STORE_WORD(size)                   \
  case size: {                                              \
    fencepost_atomic_word_##size word;                      \
    __builtin_memcpy(&word, value, size);                   \
    *(volatile fencepost_atomic_word_##size*)object = word; \
    break;                                                  \
  }
FENCEPOST_ATOMIC_INLINE void fencepost_atomic_store(__SIZE_TYPE__ size, volatile void* object,
                                                    const void* value, int order) {
  if (!FENCEPOST_ATOMIC_IS_WORD(size)) {
    fencepost_atomic_any_store(size, object, value, order);
    return;
  }
  fencepost_atomic_fence(order != memory_order_relaxed);
  switch (size) { FENCEPOST_ATOMIC_FOR_EACH_WORD(FENCEPOST_ATOMIC_STORE_WORD) }
  fencepost_atomic_fence(order == memory_order_seq_cst);
}

/* A word of `size` bytes is replaced: what was read may be old, and is tried again. */
#define FENCEPOST_ATOMIC_EXCHANGE_WORD(size)               \
  case size: {                                             \
    volatile fencepost_atomic_word_##size* const at =      \
        (volatile fencepost_atomic_word_##size*)object;    \
    fencepost_atomic_word_##size word, tried, seen = *at;  \
    __builtin_memcpy(&word, value, size);                  \
    do {                                                   \
      tried = seen;                                        \
      seen = __sync_val_compare_and_swap(at, tried, word); \
    } while (seen != tried);                               \
    __builtin_memcpy(result, &seen, size);                 \
    break;                                                 \
  }
FENCEPOST_ATOMIC_INLINE void fencepost_atomic_exchange(__SIZE_TYPE__ size, volatile void* object,
                                                       const void* value, void* result, int order) {
  switch (size) {
    FENCEPOST_ATOMIC_FOR_EACH_WORD(FENCEPOST_ATOMIC_EXCHANGE_WORD)
    default:
      fencepost_atomic_any_exchange(size, object, value, result, order);
  }
}

/* A word of `size` bytes is replaced if it is the expected one, which else is told what it is. */
#define FENCEPOST_ATOMIC_COMPARE_EXCHANGE_WORD(size)                                               \
  case size: {                                                                                     \
    fencepost_atomic_word_##size word, wanted, seen;                                               \
    __builtin_memcpy(&word, value, size);                                                          \
    __builtin_memcpy(&wanted, expected, size);                                                     \
    seen =                                                                                         \
        __sync_val_compare_and_swap((volatile fencepost_atomic_word_##size*)object, wanted, word); \
    if (seen == wanted) return 1;                                                                  \
    __builtin_memcpy(expected, &seen, size);                                                       \
    return 0;                                                                                      \
  }
FENCEPOST_ATOMIC_INLINE fencepost_atomic_bool_value
fencepost_atomic_compare_exchange(__SIZE_TYPE__ size, volatile void* object, void* expected,
                                  const void* value, int success, int failure) {
  switch (size) {
    FENCEPOST_ATOMIC_FOR_EACH_WORD(FENCEPOST_ATOMIC_COMPARE_EXCHANGE_WORD)
    default:
      return fencepost_atomic_any_compare_exchange(size, object, expected, value, success, failure);
  }
}

#define FENCEPOST_ATOMIC_LOAD(at, result, order) \
  fencepost_atomic_load(sizeof *(at), at, result, (int)(order))
#define FENCEPOST_ATOMIC_STORE(at, value, order) \
  fencepost_atomic_store(sizeof *(at), at, value, (int)(order))
#define FENCEPOST_ATOMIC_EXCHANGE(at, value, result, order) \
  fencepost_atomic_exchange(sizeof *(at), at, value, result, (int)(order))
/* Fails only if it must, weak or not. */
#define FENCEPOST_ATOMIC_COMPARE_EXCHANGE(at, expected, value, weak, success, failure) \
  fencepost_atomic_compare_exchange(sizeof *(at), at, expected, value, (int)(success), \
                                    (int)(failure))

/* The widest integers: two numbers of a signed type are added as unsigned ones, which never
 * overflow. */
#if defined(__SIZEOF_INT128__)
typedef fencepost_atomic_uint128_value fencepost_atomic_widest_value;
#else
typedef fencepost_atomic_ullong_value fencepost_atomic_widest_value;
#endif

/* Words have an operation of their own; others are read, and replaced if nobody was faster. */
#define FENCEPOST_ATOMIC_FETCH(name, operator, at, value, order)                                   \
  __builtin_choose_expr(                                                                           \
      FENCEPOST_ATOMIC_IS_WORD(sizeof *(at)), ((void)(order), __sync_fetch_and_##name(at, value)), \
      __extension__({                                                                              \
        __typeof__((void)0, *(at)) fencepost_seen, fencepost_next;                                 \
        const int fencepost_order = (int)(order);                                                  \
        FENCEPOST_ATOMIC_LOAD(at, &fencepost_seen, memory_order_relaxed);                          \
        do {                                                                                       \
          fencepost_next =                                                                         \
              (__typeof__(fencepost_next))((fencepost_atomic_widest_value)fencepost_seen operator( \
                  fencepost_atomic_widest_value)(value));                                          \
        } while (!FENCEPOST_ATOMIC_COMPARE_EXCHANGE(at, &fencepost_seen, &fencepost_next, 0,       \
                                                    fencepost_order, memory_order_relaxed));       \
        fencepost_seen;                                                                            \
      }))
#define FENCEPOST_ATOMIC_IS_LOCK_FREE(at)    \
  (FENCEPOST_ATOMIC_IS_WORD(sizeof *(at)) || \
   fencepost_atomic_any_is_lock_free(sizeof *(at), (const volatile void*)(at)))

/* A flag of one byte. */
FENCEPOST_ATOMIC_INLINE fencepost_atomic_bool_value fencepost_atomic_test_and_set(volatile void* at,
                                                                                  int order) {
  const unsigned char set = 1;
  unsigned char before;
  fencepost_atomic_exchange(1, at, &set, &before, order);
  return before != 0;
}
FENCEPOST_ATOMIC_INLINE void fencepost_atomic_clear(volatile void* at, int order) {
  const unsigned char clear = 0;
  fencepost_atomic_store(1, at, &clear, order);
}
#define FENCEPOST_ATOMIC_TEST_AND_SET(at, order) fencepost_atomic_test_and_set(at, (int)(order))
#define FENCEPOST_ATOMIC_CLEAR(at, order) fencepost_atomic_clear(at, (int)(order))
#define FENCEPOST_ATOMIC_THREAD_FENCE(order) fencepost_atomic_fence((order) != memory_order_relaxed)
/* Between a thread and its signal handlers the compiler alone could change an order. */
#define FENCEPOST_ATOMIC_SIGNAL_FENCE(order) \
  ((void)(order), __extension__({ __asm__ __volatile__("" ::: "memory"); }))
