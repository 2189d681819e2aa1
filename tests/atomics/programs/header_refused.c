/* SPDX-License-Identifier: MIT */
/*
 * What <stdatomic.h> refuses. A line that has to be refused ends with the reason, which has to be
 * in the message; one that is refused only where _Atomic is emulated says so; and no other line is.
 * With -DALLOWED the refused ones are not there, and all compiles.
 */
#include <stdatomic.h>
#include <stddef.h>

struct pair {
  int first, second;
};
struct node {
  struct node* next;
};
struct other;
typedef enum { red, green } color;

extern _Atomic(int) object, second_object;
extern const _Atomic(int) constant;
extern _Atomic(struct pair) pair_object;
extern _Atomic(struct node*) node_object;
extern _Atomic(const char*) text_object;
extern _Atomic(void*) void_object;
extern _Atomic(color) color_object;
extern _Atomic(double) real_object;
extern _Atomic(short) short_object;
extern atomic_bool bool_object;
extern atomic_flag flag;
extern int plain, plain_array[1];
extern volatile int volatile_plain;
extern unsigned other_int;
extern struct pair pair;
extern struct node* node;
extern struct node** node_pointer;
extern struct other* other;
extern double real;
extern const int constant_int;
extern memory_order any_order;
void take(int);

#define EMULATED (FENCEPOST_ATOMIC_SUPPORT != FENCEPOST_ATOMIC_FULL)

void allowed(void) {
  int expected = 0;
  double* const unused = NULL;
  (void)unused;
  atomic_store(&object, 1);
  atomic_store(&object, 1.0);
  atomic_store(&object, green);
  atomic_store(&real_object, 1);
  atomic_store(&color_object, 1);
  atomic_store(&bool_object, node);
  atomic_store(&node_object, node);
  atomic_store(&node_object, 0);
  atomic_store(&node_object, NULL);
  atomic_store(&void_object, node);
  atomic_store(&void_object, 0);
  atomic_store(&text_object, "text");
  atomic_store(&node_object, atomic_load(&void_object));
  atomic_store_explicit(&object, 1, any_order);
  (void)atomic_load(&constant);
  (void)atomic_is_lock_free(&constant);
  (void)atomic_load_explicit(&object, any_order);
  (void)atomic_compare_exchange_strong_explicit(&object, &expected, 1, any_order, any_order);
  (void)atomic_compare_exchange_strong_explicit(&object, &expected, 1, memory_order_relaxed,
                                                memory_order_seq_cst);
  atomic_fetch_add(&color_object, 1);
  atomic_fetch_add(&short_object, 1);
  atomic_flag_clear_explicit(&flag, memory_order_release);
  (atomic_flag_clear)(&flag);
}

#if !defined(ALLOWED)
/* clang-format off */
void refused(void) {
  int expected = 0;
  /* Not atomic. */
  (void)atomic_load(&plain);                                    /* refused: this_is_no_atomic_object|does_not_point_to_an_atomic_object */
  (void)atomic_load(&volatile_plain);                           /* refused: this_is_no_atomic_object|does_not_point_to_an_atomic_object */
  (void)atomic_load(&plain_array);                              /* refused: does_not_point_to_an_atomic_object */
  (void)atomic_load(&pair);                                     /* refused: this_is_no_atomic_object|does_not_point_to_an_atomic_object */
  atomic_store(&plain, 1);                                      /* refused: this_is_no_atomic_object|does_not_point_to_an_atomic_object */
  atomic_init(&plain, 1);                                       /* refused: this_is_no_atomic_object|does_not_point_to_an_atomic_object */
  atomic_fetch_add(&plain, 1);                                  /* refused: this_is_no_atomic_object|does_not_point_to_an_atomic_object */
  (void)atomic_compare_exchange_weak(&plain, &expected, 1);     /* refused: this_is_no_atomic_object|does_not_point_to_an_atomic_object */
  (void)atomic_is_lock_free(&plain);                            /* refused: this_is_no_atomic_object|does_not_point_to_an_atomic_object */
  (void)atomic_load(node_pointer);                              /* refused: this_is_no_atomic_object|does_not_point_to_an_atomic_object */
  (void)atomic_flag_test_and_set(&bool_object);                 /* refused: does_not_point_to_an_atomic_flag */
  atomic_flag_clear(&plain);                                    /* refused: does_not_point_to_an_atomic_flag */

  /* Constants. */
  atomic_store(&constant, 1);                                   /* refused: the_atomic_object_is_const */
  (void)atomic_exchange(&constant, 1);                          /* refused: the_atomic_object_is_const */
  (void)atomic_fetch_add(&constant, 1);                         /* refused: the_atomic_object_is_const */
  (void)atomic_compare_exchange_strong(&constant, &expected, 1);/* refused: the_atomic_object_is_const */

  /* Values that do not fit. */
  atomic_store(&object, node);                                  /* refused: has_a_type_that_the_object_cannot_hold */
  atomic_store(&object, pair);                                  /* refused: has_a_type_that_the_object_cannot_hold */
  atomic_store(&object, "text");                                /* refused: has_a_type_that_the_object_cannot_hold */
  atomic_init(&object, node);                                   /* refused: has_a_type_that_the_object_cannot_hold */
  atomic_store(&node_object, 1);                                /* refused: has_a_type_that_the_object_cannot_hold */
  atomic_store(&node_object, plain);                            /* refused: has_a_type_that_the_object_cannot_hold */
  atomic_store(&node_object, other);                            /* refused: has_a_type_that_the_object_cannot_hold */
  (void)atomic_exchange(&node_object, &node);                   /* refused: has_a_type_that_the_object_cannot_hold */
  atomic_store(&pair_object, 1);                                /* refused: has_a_type_that_the_object_cannot_hold */
  (void)atomic_fetch_or(&object, node);                         /* refused: has_a_type_that_the_object_cannot_hold */
  (void)atomic_compare_exchange_strong(&object, &expected, node);      /* refused: has_a_type_that_the_object_cannot_hold */
  (void)atomic_compare_exchange_strong(&object, &real, 1);             /* refused: does_not_point_to_what_the_object_holds */
  (void)atomic_compare_exchange_strong(&object, &other_int, 1);        /* refused: does_not_point_to_what_the_object_holds */
  (void)atomic_compare_exchange_strong(&object, &constant_int, 1);     /* refused: does_not_point_to_what_the_object_holds */
  (void)atomic_compare_exchange_strong(&object, &second_object, 1);    /* refused: does_not_point_to_what_the_object_holds */
  (void)atomic_compare_exchange_strong(&node_object, &other, node);    /* refused: does_not_point_to_what_the_object_holds */
  (void)atomic_compare_exchange_strong(&object, 0, 1);                 /* refused: does_not_point_to_what_the_object_holds */

  /* Orders. */
  (void)atomic_load_explicit(&object, memory_order_release);    /* refused: a_load_cannot_release */
  (void)atomic_load_explicit(&object, memory_order_acq_rel);    /* refused: a_load_cannot_release */
  (void)atomic_load_explicit(&object, 17);                      /* refused: there_is_no_such_memory_order */
  atomic_store_explicit(&object, 1, memory_order_acquire);      /* refused: a_store_cannot_acquire */
  atomic_store_explicit(&object, 1, memory_order_consume);      /* refused: a_store_cannot_acquire */
  atomic_store_explicit(&object, 1, memory_order_acq_rel);      /* refused: a_store_cannot_acquire */
  (void)atomic_exchange_explicit(&object, 1, -1);               /* refused: there_is_no_such_memory_order */
  (void)atomic_compare_exchange_strong_explicit(&object, &expected, 1, memory_order_seq_cst, memory_order_release); /* refused: a_failed_compare_exchange_cannot_release */
  (void)atomic_compare_exchange_weak_explicit(&object, &expected, 1, memory_order_seq_cst, memory_order_acq_rel);   /* refused: a_failed_compare_exchange_cannot_release */
  atomic_flag_clear_explicit(&flag, memory_order_acquire);      /* refused: a_clear_cannot_acquire */
  atomic_flag_clear_explicit(&flag, memory_order_acq_rel);      /* refused: a_clear_cannot_acquire */
  atomic_thread_fence(9);                                       /* refused: there_is_no_such_memory_order */
  atomic_signal_fence(9);                                       /* refused: there_is_no_such_memory_order */

  /* Arithmetic. */
  (void)atomic_fetch_add(&bool_object, 1);                      /* refused: the_object_does_not_hold_an_integer */
  (void)atomic_fetch_or(&real_object, 1);                       /* refused: the_object_does_not_hold_an_integer */
  (void)atomic_fetch_add(&node_object, 1);                      /* refused: the_object_does_not_hold_an_integer */
  (void)atomic_fetch_sub(&void_object, 1);                      /* refused: the_object_does_not_hold_an_integer */
  (void)atomic_fetch_and(&pair_object, 1);                      /* refused: the_object_does_not_hold_an_integer */
}

#if EMULATED
void refused_without_atomic(void) {
  object = 1;                                                   /* refused: read-only|const-qualified */
  object = second_object;                                       /* refused: read-only|const-qualified */
  object += 1;                                                  /* refused: needs_atomic_load_and_store|read-only|const-qualified|invalid operands */
  object++;                                                     /* refused: needs_atomic_load_and_store|increment */
  plain = object;                                               /* refused: needs_atomic_load_and_store */
  take(object);                                                 /* refused: needs_atomic_load_and_store|incompatible type */
  if (object) take(1);                                          /* refused: needs_atomic_load_and_store|used struct type value */
  while (!bool_object) take(1);                                 /* refused: needs_atomic_load_and_store|unary exclamation */
  plain = object + 1;                                           /* refused: needs_atomic_load_and_store */
  plain = object == 1;                                          /* refused: needs_atomic_load_and_store */
  real = real_object;                                           /* refused: needs_atomic_load_and_store */
  node = void_object;                                           /* refused: needs_atomic_load_and_store */
  pair_object = pair;                                           /* refused: array type */
  pair = pair_object;                                           /* refused: incompatible type|array */
  node_object = node;                                           /* refused: array type */
  node = node_object;                                           /* refused: incompatible|-Wincompatible-pointer-types */
  plain = (int)color_object.value;                              /* refused: structure or union|no member named */
}
#endif
#endif
