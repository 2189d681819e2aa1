/* SPDX-License-Identifier: MIT */
/*
 * Atomic objects for a compiler that does not know _Atomic.
 *
 * The type has to be the same wherever _Atomic(TYPE) is written, and C has no structure that is
 * named after a type. So there are two kinds:
 *
 *   - Numbers, bool and void* have a structure each, made here: nothing can be assigned to it, for
 * a part of it is const, and it is no scalar that could be read, compared or counted up.
 *   - Any other type T becomes an array of one volatile T: arrays are the same if their elements
 * are, and nothing can be assigned to one. Read, it is a pointer to T, which for structures never
 *     compiles, and for pointers and enumerations is made an error below; but the condition `if
 * (p)` compiles with a warning (-Waddress), and asks whether the object has an address.
 *
 * Alignment is what the same compiler gives to its own atomic types: objects of 1, 2, 4, 8 or 16
 * bytes are aligned to their size. clang also fills up smaller ones to such a size; no array is
 * bigger than its elements, so there the element is clang's own atomic type, which it knew before
 * it had all that belongs to it.
 */
#pragma once

/* Both are violations of the language that older compilers only warn about. */
#if defined(__clang__) || __GNUC__ >= 5
#pragma GCC diagnostic error "-Wint-conversion"
#pragma GCC diagnostic error "-Wincompatible-pointer-types"
#endif

#define FENCEPOST_ATOMIC_ALIGNMENT(type)                                               \
  (sizeof(type) == 1 || sizeof(type) == 2 || sizeof(type) == 4 || sizeof(type) == 8 || \
           sizeof(type) == 16                                                          \
       ? sizeof(type)                                                                  \
       : __alignof__(type))

__extension__ typedef long long fencepost_atomic_llong_value;
__extension__ typedef unsigned long long fencepost_atomic_ullong_value;
#if defined(__SIZEOF_INT128__)
__extension__ typedef __int128 fencepost_atomic_int128_value;
__extension__ typedef unsigned __int128 fencepost_atomic_uint128_value;
#define FENCEPOST_ATOMIC_FOR_EACH_128(do_for, with)   \
  do_for(fencepost_atomic_int128_value, int128, with) \
      do_for(fencepost_atomic_uint128_value, uint128, with)
#else
#define FENCEPOST_ATOMIC_FOR_EACH_128(do_for, with)
#endif

/* Each type that has a structure of its own, what that is called, and what the caller passes on. */
#define FENCEPOST_ATOMIC_FOR_EACH_TYPE(do_for, with)                                             \
  do_for(fencepost_atomic_bool_value, bool, with) do_for(char, char, with) do_for(               \
      signed char, schar, with) do_for(unsigned char, uchar, with) do_for(short, short, with)    \
      do_for(unsigned short, ushort, with) do_for(int, int, with) do_for(unsigned, uint, with)   \
          do_for(long, long, with) do_for(unsigned long, ulong, with)                            \
              do_for(fencepost_atomic_llong_value, llong, with)                                  \
                  do_for(fencepost_atomic_ullong_value, ullong, with) do_for(float, float, with) \
                      do_for(double, double, with) do_for(long double, long_double, with)        \
                          do_for(void*, pointer, with) FENCEPOST_ATOMIC_FOR_EACH_128(do_for, with)

/* What has no bits and no name makes the whole unassignable, and needs no first value. */
#define FENCEPOST_ATOMIC_STRUCTURE(type, name, with)             \
  struct fencepost_atomic_##name##_needs_atomic_load_and_store { \
    type volatile this_is_no_atomic_object;                      \
    __extension__ const char : 0;                                \
  } __attribute__((__aligned__(FENCEPOST_ATOMIC_ALIGNMENT(type))));
FENCEPOST_ATOMIC_FOR_EACH_TYPE(FENCEPOST_ATOMIC_STRUCTURE, nothing)

/* An array of one, aligned. */
#if defined(__clang__)
#define FENCEPOST_ATOMIC_ARRAY(type) _Atomic(type) volatile[1]
#else
#define FENCEPOST_ATOMIC_ARRAY(type) \
  __typeof__(type) volatile __attribute__((__aligned__(FENCEPOST_ATOMIC_ALIGNMENT(type))))[1]
#endif

/* A pointer to the structure for `wanted` if there is one, else to an array: a chain of choices,
 * and its end. */
#define FENCEPOST_ATOMIC_IF(type, name, wanted)                                 \
  __builtin_choose_expr(__builtin_types_compatible_p(__typeof__(wanted), type),                 \
                        (struct fencepost_atomic_##name##_needs_atomic_load_and_store*)0,
#define FENCEPOST_ATOMIC_END(type, name, wanted) )
#define FENCEPOST_ATOMIC_POINTER_TO(wanted)                                      \
  FENCEPOST_ATOMIC_FOR_EACH_TYPE(FENCEPOST_ATOMIC_IF, wanted)                    \
  (__typeof__(FENCEPOST_ATOMIC_ARRAY(wanted))*)0 FENCEPOST_ATOMIC_FOR_EACH_TYPE( \
      FENCEPOST_ATOMIC_END, wanted)

/* The type of atomic objects that hold a `type`, which has to be complete. */
#define _Atomic(type) __typeof__(*__extension__(FENCEPOST_ATOMIC_POINTER_TO(type)))

/* The first value of an object, where it is declared. */
#define ATOMIC_VAR_INIT(value) \
  { value }

/* Whether `pointer` points to an array, which changes when it is used, or to a structure. */
#define FENCEPOST_ATOMIC_IS_ARRAY(pointer) \
  (!__builtin_types_compatible_p(__typeof__(*(pointer)), __typeof__((void)0, *(pointer))))

/* The structure or the array that `pointer` points to; one that is not asked for if it does not, so
 * that what is written for the other still compiles. */
#define FENCEPOST_ATOMIC_AS_ARRAY(pointer) \
  (*__builtin_choose_expr(FENCEPOST_ATOMIC_IS_ARRAY(pointer), (pointer), (char(*)[1])0))
#define FENCEPOST_ATOMIC_AS_STRUCTURE(pointer)                                                \
  (*__builtin_choose_expr(!FENCEPOST_ATOMIC_IS_ARRAY(pointer) &&                              \
                              __builtin_classify_type(*(pointer)) == FENCEPOST_ATOMIC_RECORD, \
                          (pointer), (struct fencepost_atomic_int_needs_atomic_load_and_store*)0))
#define FENCEPOST_ATOMIC_RECORD 12

/* A pointer to what the object holds that `pointer` points to. */
#define FENCEPOST_ATOMIC_INSIDE(pointer)                        \
  __builtin_choose_expr(FENCEPOST_ATOMIC_IS_ARRAY(pointer),     \
                        &FENCEPOST_ATOMIC_AS_ARRAY(pointer)[0], \
                        &FENCEPOST_ATOMIC_AS_STRUCTURE(pointer).this_is_no_atomic_object)

/* The type of what the object holds that `pointer` points to. */
#define FENCEPOST_ATOMIC_HELD(pointer) __typeof__((void)0, *FENCEPOST_ATOMIC_INSIDE(pointer))
