/* SPDX-License-Identifier: MIT */
/*
 * The type-generic functions. Each looks at its arguments while it is compiled, evaluates each
 * once, and does what it is called for by one of with_*.h.
 */
#pragma once

/* Declares fencepost_object, the pointer; held_type, what the object holds; object_type, what such
 * objects are; and aligned_type, what is held as it lies in an object. */
#define FENCEPOST_ATOMIC_OBJECT(object)                                                        \
  __typeof__((void)0, (object)) fencepost_object = (object);                                   \
  typedef FENCEPOST_ATOMIC_HELD(fencepost_object) fencepost_held_type;                         \
  typedef _Atomic(fencepost_held_type) fencepost_object_type;                                  \
  typedef fencepost_held_type __attribute__((__aligned__(__alignof__(fencepost_object_type)))) \
  fencepost_aligned_type

/* Declares a value that is about to get into the object. */
#define FENCEPOST_ATOMIC_VALUE(value)                        \
  typedef __typeof__((void)0, (value)) fencepost_given_type; \
  fencepost_held_type fencepost_value = (value)

/* A pointer to what the object holds, as the compiler's functions want to have it. It is not to
 * what is _Atomic: of the functions that take such clang's alone, __c11_atomic_*, compare the bytes
 * that clang adds to a structure of 3 and find them different each time. */
#define FENCEPOST_ATOMIC_AT ((fencepost_aligned_type volatile*)fencepost_object)
#define FENCEPOST_ATOMIC_READ_AT ((const fencepost_aligned_type volatile*)fencepost_object)

/* Whether the object of the operation can be written to. */
#define FENCEPOST_ATOMIC_IS_WRITABLE                                                     \
  (__builtin_types_compatible_p(__typeof__(fencepost_object), fencepost_object_type*) || \
   __builtin_types_compatible_p(__typeof__(fencepost_object), volatile fencepost_object_type*))
#define FENCEPOST_ATOMIC_IS_READABLE                                                           \
  (FENCEPOST_ATOMIC_IS_WRITABLE ||                                                             \
   __builtin_types_compatible_p(__typeof__(fencepost_object), const fencepost_object_type*) || \
   __builtin_types_compatible_p(__typeof__(fencepost_object),                                  \
                                const volatile fencepost_object_type*))

/* What each operation asks of its arguments. */
#define FENCEPOST_ATOMIC_REQUIRE_READABLE                \
  FENCEPOST_ATOMIC_REQUIRE(FENCEPOST_ATOMIC_IS_READABLE, \
                           the_first_argument_does_not_point_to_an_atomic_object)
#define FENCEPOST_ATOMIC_REQUIRE_WRITABLE                                                 \
  FENCEPOST_ATOMIC_REQUIRE_READABLE;                                                      \
  FENCEPOST_ATOMIC_REQUIRE(!FENCEPOST_ATOMIC_IS_READABLE || FENCEPOST_ATOMIC_IS_WRITABLE, \
                           the_atomic_object_is_const)
#define FENCEPOST_ATOMIC_REQUIRE_FITTING(value)                                         \
  FENCEPOST_ATOMIC_REQUIRE(                                                             \
      FENCEPOST_ATOMIC_IS_ASSIGNABLE(fencepost_held_type, fencepost_given_type, value), \
      the_value_has_a_type_that_the_object_cannot_hold)
#define FENCEPOST_ATOMIC_REQUIRE_ORDER(order) \
  FENCEPOST_ATOMIC_REQUIRE(FENCEPOST_ATOMIC_IS_ORDER(order), there_is_no_such_memory_order)

/* Gives an object its first value, before any other thread knows of it. Not atomic. Bytes that
 * clang adds to the type are 0, as in its own objects, where they take part in comparisons. */
#define atomic_init(object, value)                                                 \
  __extension__({                                                                  \
    FENCEPOST_ATOMIC_OBJECT(object);                                               \
    FENCEPOST_ATOMIC_VALUE(value);                                                 \
    FENCEPOST_ATOMIC_REQUIRE_WRITABLE;                                             \
    FENCEPOST_ATOMIC_REQUIRE_FITTING(value);                                       \
    if (sizeof(fencepost_object_type) != sizeof(fencepost_held_type))              \
      __builtin_memset((void*)fencepost_object, 0, sizeof(fencepost_object_type)); \
    *FENCEPOST_ATOMIC_AT = fencepost_value;                                        \
  })

/* Whether no operation on the object takes a lock. */
#define atomic_is_lock_free(object)                          \
  __extension__({                                            \
    FENCEPOST_ATOMIC_OBJECT(object);                         \
    FENCEPOST_ATOMIC_REQUIRE_READABLE;                       \
    FENCEPOST_ATOMIC_IS_LOCK_FREE(FENCEPOST_ATOMIC_READ_AT); \
  })

/* Returns what the object holds. */
#define atomic_load_explicit(object, order)                                            \
  __extension__({                                                                      \
    FENCEPOST_ATOMIC_OBJECT(object);                                                   \
    fencepost_held_type fencepost_result;                                              \
    FENCEPOST_ATOMIC_REQUIRE_READABLE;                                                 \
    FENCEPOST_ATOMIC_REQUIRE_ORDER(order);                                             \
    FENCEPOST_ATOMIC_REQUIRE(FENCEPOST_ATOMIC_CAN_LOAD(order), a_load_cannot_release); \
    FENCEPOST_ATOMIC_LOAD(FENCEPOST_ATOMIC_READ_AT, &fencepost_result, order);         \
    fencepost_result;                                                                  \
  })
#define atomic_load(object) atomic_load_explicit(object, memory_order_seq_cst)

/* Makes the object hold the value. */
#define atomic_store_explicit(object, value, order)                                      \
  __extension__({                                                                        \
    FENCEPOST_ATOMIC_OBJECT(object);                                                     \
    FENCEPOST_ATOMIC_VALUE(value);                                                       \
    FENCEPOST_ATOMIC_REQUIRE_WRITABLE;                                                   \
    FENCEPOST_ATOMIC_REQUIRE_FITTING(value);                                             \
    FENCEPOST_ATOMIC_REQUIRE_ORDER(order);                                               \
    FENCEPOST_ATOMIC_REQUIRE(FENCEPOST_ATOMIC_CAN_STORE(order), a_store_cannot_acquire); \
    FENCEPOST_ATOMIC_STORE(FENCEPOST_ATOMIC_AT, &fencepost_value, order);                \
  })
#define atomic_store(object, value) atomic_store_explicit(object, value, memory_order_seq_cst)

/* The same, and returns what it held before. */
#define atomic_exchange_explicit(object, value, order)                                          \
  __extension__({                                                                               \
    FENCEPOST_ATOMIC_OBJECT(object);                                                            \
    FENCEPOST_ATOMIC_VALUE(value);                                                              \
    fencepost_held_type fencepost_result;                                                       \
    FENCEPOST_ATOMIC_REQUIRE_WRITABLE;                                                          \
    FENCEPOST_ATOMIC_REQUIRE_FITTING(value);                                                    \
    FENCEPOST_ATOMIC_REQUIRE_ORDER(order);                                                      \
    FENCEPOST_ATOMIC_EXCHANGE(FENCEPOST_ATOMIC_AT, &fencepost_value, &fencepost_result, order); \
    fencepost_result;                                                                           \
  })
#define atomic_exchange(object, value) atomic_exchange_explicit(object, value, memory_order_seq_cst)

/* Makes the object hold the value if it holds what `expected` points to, byte for byte, and returns
 * whether it did; else tells there what it holds. A weak one may fail without a reason. */
#define FENCEPOST_ATOMIC_COMPARE(object, expected, value, weak, success, failure)                \
  __extension__({                                                                                \
    FENCEPOST_ATOMIC_OBJECT(object);                                                             \
    FENCEPOST_ATOMIC_VALUE(value);                                                               \
    fencepost_held_type* const fencepost_expected = (expected);                                  \
    FENCEPOST_ATOMIC_REQUIRE_WRITABLE;                                                           \
    FENCEPOST_ATOMIC_REQUIRE_FITTING(value);                                                     \
    FENCEPOST_ATOMIC_REQUIRE(                                                                    \
        __builtin_types_compatible_p(__typeof__((void)0, (expected)), fencepost_held_type*),     \
        the_second_argument_does_not_point_to_what_the_object_holds);                            \
    FENCEPOST_ATOMIC_REQUIRE_ORDER(success);                                                     \
    FENCEPOST_ATOMIC_REQUIRE_ORDER(failure);                                                     \
    FENCEPOST_ATOMIC_REQUIRE(FENCEPOST_ATOMIC_CAN_LOAD(failure),                                 \
                             a_failed_compare_exchange_cannot_release);                          \
    FENCEPOST_ATOMIC_COMPARE_EXCHANGE(FENCEPOST_ATOMIC_AT, fencepost_expected, &fencepost_value, \
                                      weak, success, failure);                                   \
  })
#define atomic_compare_exchange_strong_explicit(object, expected, value, success, failure) \
  FENCEPOST_ATOMIC_COMPARE(object, expected, value, 0, success, failure)
#define atomic_compare_exchange_strong(object, expected, value)                          \
  atomic_compare_exchange_strong_explicit(object, expected, value, memory_order_seq_cst, \
                                          memory_order_seq_cst)
#define atomic_compare_exchange_weak_explicit(object, expected, value, success, failure) \
  FENCEPOST_ATOMIC_COMPARE(object, expected, value, 1, success, failure)
#define atomic_compare_exchange_weak(object, expected, value)                          \
  atomic_compare_exchange_weak_explicit(object, expected, value, memory_order_seq_cst, \
                                        memory_order_seq_cst)

/* Computes what an integer object is to hold from what it held, which it returns. Never overflows.
 */
#define FENCEPOST_ATOMIC_MODIFY(name, operator, object, value, order)                    \
  __extension__({                                                                        \
    FENCEPOST_ATOMIC_OBJECT(object);                                                     \
    FENCEPOST_ATOMIC_VALUE(value);                                                       \
    FENCEPOST_ATOMIC_REQUIRE_WRITABLE;                                                   \
    FENCEPOST_ATOMIC_REQUIRE(FENCEPOST_ATOMIC_IS_INTEGER(fencepost_held_type) &&         \
                                 !FENCEPOST_ATOMIC_IS_BOOL(fencepost_held_type),         \
                             the_object_does_not_hold_an_integer);                       \
    FENCEPOST_ATOMIC_REQUIRE_FITTING(value);                                             \
    FENCEPOST_ATOMIC_REQUIRE_ORDER(order);                                               \
    FENCEPOST_ATOMIC_FETCH(name, operator, FENCEPOST_ATOMIC_AT, fencepost_value, order); \
  })
#define atomic_fetch_add_explicit(object, value, order) \
  FENCEPOST_ATOMIC_MODIFY(add, +, object, value, order)
#define atomic_fetch_add(object, value) \
  atomic_fetch_add_explicit(object, value, memory_order_seq_cst)
#define atomic_fetch_sub_explicit(object, value, order) \
  FENCEPOST_ATOMIC_MODIFY(sub, -, object, value, order)
#define atomic_fetch_sub(object, value) \
  atomic_fetch_sub_explicit(object, value, memory_order_seq_cst)
#define atomic_fetch_or_explicit(object, value, order) \
  FENCEPOST_ATOMIC_MODIFY(or, |, object, value, order)
#define atomic_fetch_or(object, value) atomic_fetch_or_explicit(object, value, memory_order_seq_cst)
#define atomic_fetch_xor_explicit(object, value, order) \
  FENCEPOST_ATOMIC_MODIFY(xor, ^, object, value, order)
#define atomic_fetch_xor(object, value) \
  atomic_fetch_xor_explicit(object, value, memory_order_seq_cst)
#define atomic_fetch_and_explicit(object, value, order) \
  FENCEPOST_ATOMIC_MODIFY(and, &, object, value, order)
#define atomic_fetch_and(object, value) \
  atomic_fetch_and_explicit(object, value, memory_order_seq_cst)
