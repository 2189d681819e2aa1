/* SPDX-License-Identifier: MIT */
/*
 * How a misuse is refused while compiling, and what can be asked of types.
 *
 * The macros work on types that were named before, and use the expressions of the program as seldom
 * as they can: one operation inside another multiplies what the compiler has to read.
 */
#pragma once

/* A statement that does not compile unless `condition` holds: no bit-field has -1 bits, and both
 * compilers name it. `reason` is a sentence written as an identifier. Unlike _Static_assert it is
 * known to every compiler and in every version of C. */
#define FENCEPOST_ATOMIC_REQUIRE(condition, reason) \
  ((void)sizeof(struct { int reason : (condition) ? 1 : -1; }))

__extension__ typedef _Bool fencepost_atomic_bool_value;

/* An expression of a type, for what looks at types alone: it is never evaluated. */
#define FENCEPOST_ATOMIC_SOME(type) (((type(*)(void))0)())

/* The numbers are the compilers' own: 1 to 4 are integers, characters, enumerations and bool, 5
 * pointers, 8 and 9 floating-point and complex numbers. */
#define FENCEPOST_ATOMIC_CLASS(type) __builtin_classify_type(FENCEPOST_ATOMIC_SOME(type))
#define FENCEPOST_ATOMIC_IS_INTEGER(type) \
  (FENCEPOST_ATOMIC_CLASS(type) >= 1 && FENCEPOST_ATOMIC_CLASS(type) <= 4)
#define FENCEPOST_ATOMIC_IS_NUMBER(type)                                     \
  (FENCEPOST_ATOMIC_IS_INTEGER(type) || FENCEPOST_ATOMIC_CLASS(type) == 8 || \
   FENCEPOST_ATOMIC_CLASS(type) == 9)
#define FENCEPOST_ATOMIC_IS_POINTER(type) (FENCEPOST_ATOMIC_CLASS(type) == 5)
#define FENCEPOST_ATOMIC_IS_BOOL(type) \
  __builtin_types_compatible_p(type, fencepost_atomic_bool_value)
#define FENCEPOST_ATOMIC_IS_VOID_POINTER(type)                                                     \
  (__builtin_types_compatible_p(type, void*) || __builtin_types_compatible_p(type, const void*) || \
   __builtin_types_compatible_p(type, volatile void*) ||                                           \
   __builtin_types_compatible_p(type, const volatile void*))

/* What a pointer points to; for all other types, char. */
#define FENCEPOST_ATOMIC_TARGET(type)                                               \
  __typeof__(*__builtin_choose_expr(                                                \
      FENCEPOST_ATOMIC_IS_POINTER(type) && !FENCEPOST_ATOMIC_IS_VOID_POINTER(type), \
      FENCEPOST_ATOMIC_SOME(type), (char*)0))

/* Whether `value`, of type `given`, is the constant 0, which is a null pointer as well. */
#define FENCEPOST_ATOMIC_INTEGER_OR_1(given, value) \
  __builtin_choose_expr(FENCEPOST_ATOMIC_CLASS(given) == 1, (value), 1)
#define FENCEPOST_ATOMIC_IS_ZERO(given, value)                                    \
  (__builtin_choose_expr(                                                         \
       FENCEPOST_ATOMIC_IS_CONSTANT(FENCEPOST_ATOMIC_INTEGER_OR_1(given, value)), \
       FENCEPOST_ATOMIC_INTEGER_OR_1(given, value), 1) == 0)

/* Whether C lets `value`, of type `given`, be assigned to an object of type `type`. Qualifiers that
 * get lost on the way are left to the compiler's own warning. */
#define FENCEPOST_ATOMIC_IS_ASSIGNABLE(type, given, value)                                  \
  (__builtin_types_compatible_p(type, given) ||                                             \
   (FENCEPOST_ATOMIC_IS_NUMBER(type) && FENCEPOST_ATOMIC_IS_NUMBER(given)) ||               \
   (FENCEPOST_ATOMIC_IS_POINTER(given) && FENCEPOST_ATOMIC_IS_BOOL(type)) ||                \
   (FENCEPOST_ATOMIC_IS_POINTER(type) &&                                                    \
    ((FENCEPOST_ATOMIC_IS_POINTER(given) &&                                                 \
      (FENCEPOST_ATOMIC_IS_VOID_POINTER(type) || FENCEPOST_ATOMIC_IS_VOID_POINTER(given) || \
       __builtin_types_compatible_p(FENCEPOST_ATOMIC_TARGET(type),                          \
                                    FENCEPOST_ATOMIC_TARGET(given)))) ||                    \
     FENCEPOST_ATOMIC_IS_ZERO(given, value))))
