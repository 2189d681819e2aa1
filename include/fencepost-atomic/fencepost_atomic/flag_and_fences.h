/* SPDX-License-Identifier: MIT */
/*
 * atomic_flag and fences. All of these are functions too, of the library, for whoever needs a
 * pointer to one: (atomic_flag_clear)(&flag).
 */
#pragma once

typedef struct {
  unsigned char fencepost_is_set;
} atomic_flag;

/* The first value of a flag: clear. */
#define ATOMIC_FLAG_INIT \
  { 0 }

extern fencepost_atomic_bool_value atomic_flag_test_and_set(volatile atomic_flag*);
extern fencepost_atomic_bool_value atomic_flag_test_and_set_explicit(volatile atomic_flag*,
                                                                     memory_order);
extern void atomic_flag_clear(volatile atomic_flag*);
extern void atomic_flag_clear_explicit(volatile atomic_flag*, memory_order);
extern void atomic_thread_fence(memory_order);
extern void atomic_signal_fence(memory_order);

/* Refuses what is no flag that can be changed. */
#define FENCEPOST_ATOMIC_REQUIRE_FLAG(flag)                                                 \
  FENCEPOST_ATOMIC_REQUIRE(                                                                 \
      __builtin_types_compatible_p(__typeof__((void)0, (flag)), atomic_flag*) ||            \
          __builtin_types_compatible_p(__typeof__((void)0, (flag)), volatile atomic_flag*), \
      the_argument_does_not_point_to_an_atomic_flag)

/* Sets the flag, and returns whether it was set before. */
#define atomic_flag_test_and_set_explicit(flag, order)                                         \
  __extension__({                                                                              \
    volatile atomic_flag* const fencepost_flag = (flag);                                       \
    FENCEPOST_ATOMIC_REQUIRE_FLAG(flag);                                                       \
    FENCEPOST_ATOMIC_REQUIRE(FENCEPOST_ATOMIC_IS_ORDER(order), there_is_no_such_memory_order); \
    FENCEPOST_ATOMIC_TEST_AND_SET(&fencepost_flag->fencepost_is_set, order);                   \
  })
#define atomic_flag_test_and_set(flag) atomic_flag_test_and_set_explicit(flag, memory_order_seq_cst)

/* Clears the flag. */
#define atomic_flag_clear_explicit(flag, order)                                                \
  __extension__({                                                                              \
    volatile atomic_flag* const fencepost_flag = (flag);                                       \
    FENCEPOST_ATOMIC_REQUIRE_FLAG(flag);                                                       \
    FENCEPOST_ATOMIC_REQUIRE(FENCEPOST_ATOMIC_IS_ORDER(order), there_is_no_such_memory_order); \
    FENCEPOST_ATOMIC_REQUIRE(FENCEPOST_ATOMIC_CAN_STORE(order), a_clear_cannot_acquire);       \
    FENCEPOST_ATOMIC_CLEAR(&fencepost_flag->fencepost_is_set, order);                          \
  })
#define atomic_flag_clear(flag) atomic_flag_clear_explicit(flag, memory_order_seq_cst)

/* Orders this thread's accesses before and after it, as others see them. */
#define atomic_thread_fence(order)                                                             \
  __extension__({                                                                              \
    FENCEPOST_ATOMIC_REQUIRE(FENCEPOST_ATOMIC_IS_ORDER(order), there_is_no_such_memory_order); \
    FENCEPOST_ATOMIC_THREAD_FENCE(order);                                                      \
  })

/* The same, as a signal handler of this thread sees them. */
#define atomic_signal_fence(order)                                                             \
  __extension__({                                                                              \
    FENCEPOST_ATOMIC_REQUIRE(FENCEPOST_ATOMIC_IS_ORDER(order), there_is_no_such_memory_order); \
    FENCEPOST_ATOMIC_SIGNAL_FENCE(order);                                                      \
  })

/* The value, without the order that consume gives to what was computed from a load. */
#define kill_dependency(value)                              \
  __extension__({                                           \
    __typeof__((void)0, (value)) fencepost_value = (value); \
    fencepost_value;                                        \
  })
