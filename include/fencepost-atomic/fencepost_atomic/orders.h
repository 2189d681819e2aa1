/* SPDX-License-Identifier: MIT */
/*
 * memory_order, and what can be said of an order while compiling.
 */
#pragma once

/* The numbers are those of the compilers, which the library understands too. */
typedef enum {
  memory_order_relaxed = 0,
  memory_order_consume = 1,
  memory_order_acquire = 2,
  memory_order_release = 3,
  memory_order_acq_rel = 4,
  memory_order_seq_cst = 5
} memory_order;

/* Whether `number` is a constant: then its product with 0 is a null pointer, which gives way to the
 * type of the other. `number` is not evaluated. */
#define FENCEPOST_ATOMIC_IS_CONSTANT(number) \
  __builtin_types_compatible_p(__typeof__(1 ? (void*)((long)(number)*0L) : (int*)0), int*)

/* Whether `order` is the constant `refused`. One that is known at run time alone is taken as it
 * comes. */
#define FENCEPOST_ATOMIC_ORDER_IS(order, refused)                           \
  ((int)__builtin_choose_expr(FENCEPOST_ATOMIC_IS_CONSTANT(order), (order), \
                              memory_order_seq_cst) == (int)(refused))

/* Whether `order` can be an order at all. */
#define FENCEPOST_ATOMIC_IS_ORDER(order)                                         \
  ((unsigned)__builtin_choose_expr(FENCEPOST_ATOMIC_IS_CONSTANT(order), (order), \
                                   memory_order_seq_cst) <= (unsigned)memory_order_seq_cst)

/* What a load cannot do is to release, and what a store cannot do is to acquire. */
#define FENCEPOST_ATOMIC_CAN_LOAD(order)                      \
  (!FENCEPOST_ATOMIC_ORDER_IS(order, memory_order_release) && \
   !FENCEPOST_ATOMIC_ORDER_IS(order, memory_order_acq_rel))
#define FENCEPOST_ATOMIC_CAN_STORE(order)                     \
  (!FENCEPOST_ATOMIC_ORDER_IS(order, memory_order_consume) && \
   !FENCEPOST_ATOMIC_ORDER_IS(order, memory_order_acquire) && \
   !FENCEPOST_ATOMIC_ORDER_IS(order, memory_order_acq_rel))
