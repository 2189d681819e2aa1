/* SPDX-License-Identifier: MIT */
/*
 * What each macro of <stdatomic.h> does with each type: told in hexadecimal, to be compared between
 * headers, compilers and machines. Nothing here is more than C11 and C99 have in common.
 */
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

typedef struct {
  unsigned char byte[3];
} three_bytes;
typedef struct {
  unsigned char byte[5];
} five_bytes;
typedef struct {
  int first, second;
} two_ints;
typedef struct {
  int number[3];
} three_ints;
typedef struct {
  void* pointer;
  size_t count;
} counted_pointer;
typedef struct {
  long number[3];
} three_longs;
typedef struct {
  unsigned char byte[100];
} hundred_bytes;
typedef enum { red, green, blue } color;
typedef int (*function)(const char*);
typedef const char* text;
typedef fpos_t* position;
typedef void* pointer;

#define STRUCTURE(type)                 \
  static type type##_of(int number) {   \
    type made;                          \
    memset(&made, number, sizeof made); \
    return made;                        \
  }
STRUCTURE(two_ints)
STRUCTURE(three_longs)
STRUCTURE(hundred_bytes)

/* Each order at run time, and what can be asked of a load, a store and a failure. */
static const memory_order any_order[] = {memory_order_relaxed, memory_order_consume,
                                         memory_order_acquire, memory_order_release,
                                         memory_order_acq_rel, memory_order_seq_cst};
static const memory_order load_order[] = {memory_order_relaxed, memory_order_consume,
                                          memory_order_acquire, memory_order_seq_cst};
static const memory_order store_order[] = {memory_order_relaxed, memory_order_release,
                                           memory_order_seq_cst};
#define FOR_EACH(order, orders) \
  for (size_t order = 0; order != sizeof orders / sizeof orders[0]; ++order)

static void show(const char* what, const void* value, size_t size) {
  const unsigned char* byte = value;
  printf("  %s ", what);
  for (size_t n = 0; n != size; ++n) printf("%02x", byte[n]);
  printf("\n");
}

#define SHOW(what, expression)          \
  do {                                  \
    result = (expression);              \
    show(what, &result, sizeof result); \
  } while (0)

/* Every way to look at and to replace what an object holds. */
#define ANY_TYPE(type, name, first, second)                                                    \
  static void test_##name(void) {                                                              \
    static _Atomic(type) object;                                                               \
    const volatile _Atomic(type)* const constant = (const volatile _Atomic(type)*)&object;     \
    type result, expected;                                                                     \
    printf("%s\n", #type);                                                                     \
    SHOW("zero", atomic_load(&object));                                                        \
    atomic_init(&object, first);                                                               \
    SHOW("initialised", atomic_load(constant));                                                \
    atomic_store(&object, second);                                                             \
    FOR_EACH(n, load_order) SHOW("load", atomic_load_explicit(constant, load_order[n]));       \
    FOR_EACH(n, store_order) {                                                                 \
      atomic_store_explicit(&object, first, store_order[n]);                                   \
      SHOW("store", atomic_exchange(&object, second));                                         \
    }                                                                                          \
    FOR_EACH(n, any_order) {                                                                   \
      SHOW("exchange", atomic_exchange_explicit(&object, first, any_order[n]));                \
      FOR_EACH(m, load_order) {                                                                \
        expected = second;                                                                     \
        printf("  fails %d", atomic_compare_exchange_strong_explicit(                          \
                                 &object, &expected, second, any_order[n], load_order[m]));    \
        show("", &expected, sizeof expected);                                                  \
        printf("  succeeds %d", atomic_compare_exchange_strong_explicit(                       \
                                    &object, &expected, second, any_order[n], load_order[m])); \
        show("", &expected, sizeof expected);                                                  \
        while (!atomic_compare_exchange_weak_explicit(&object, &expected, first, any_order[n], \
                                                      load_order[m]))                          \
          continue;                                                                            \
        SHOW("after all", atomic_load(&object));                                               \
        expected = first;                                                                      \
      }                                                                                        \
    }                                                                                          \
    printf("  strong %d", atomic_compare_exchange_strong(&object, &expected, second));         \
    while (!atomic_compare_exchange_weak(&object, &expected, first)) continue;                 \
    SHOW("then", atomic_load(&object));                                                        \
  }

#define MODIFY(name, operand)                         \
  SHOW(#name, atomic_fetch_##name(&object, operand)); \
  FOR_EACH(n, any_order) SHOW(#name, atomic_fetch_##name##_explicit(&object, operand, any_order[n]))

/* Integers are computed with besides, across both ends of what they hold. */
#define INTEGER(type, name, first, second) \
  ANY_TYPE(type, name, first, second)      \
  static void compute_##name(void) {       \
    static _Atomic(type) object;           \
    type result;                           \
    printf("%s\n", #type);                 \
    MODIFY(sub, 3);                        \
    MODIFY(add, 5);                        \
    MODIFY(xor, 85);                       \
    MODIFY(or, 3);                         \
    MODIFY(and, 117);                      \
    atomic_store(&object, second);         \
    MODIFY(add, second);                   \
    MODIFY(sub, first);                    \
  }

/* What an instruction for 16 bytes serves, which one of the emulators does not know. */
#if defined(WITHOUT_16_BYTES)
#define INTEGERS_OF_16_BYTES(do_for)
#define OTHERS_OF_16_BYTES(do_for)
#else
__extension__ typedef __int128 int128;
__extension__ typedef unsigned __int128 uint128;
#define INTEGERS_OF_16_BYTES(do_for) \
  do_for(int128, int128, -5, (int128)7 << 100) do_for(uint128, uint128, 1, (uint128)-2)
STRUCTURE(counted_pointer)
#define OTHERS_OF_16_BYTES(do_for) \
  do_for(counted_pointer, counted_pointer, counted_pointer_of(9), counted_pointer_of(10))
#endif
__extension__ typedef long long llong;
__extension__ typedef unsigned long long ullong;

#define INTEGERS(do_for)                                                                      \
  do_for(char, char, 'a', 'z') do_for(signed char, schar, -1, -128)                           \
      do_for(unsigned char, uchar, 1, 255) do_for(short, short, -2, 32767)                    \
          do_for(unsigned short, ushort, 3, 65535) do_for(int, int, -4, 2147483647)           \
              do_for(unsigned, uint, 5, 4294967295U) do_for(long, long, -6, -2147483647L)     \
                  do_for(unsigned long, ulong, 7, 4294967295UL)                               \
                      do_for(llong, llong, -8, -9223372036854775807LL - 1)                    \
                          do_for(ullong, ullong, 9, 18446744073709551615ULL) do_for(          \
                              color, color, green, blue) do_for(wchar_t, wchar_t, L'x', L'y') \
                              do_for(ptrdiff_t, ptrdiff_t, -10, 10) INTEGERS_OF_16_BYTES(do_for)
#define OTHERS(do_for)                                                                             \
  do_for(_Bool, bool, 1, 0) do_for(float, float, 1.5F, -0.0F) do_for(double, double, 1.5, 1e300)   \
      do_for(pointer, pointer, (void*)64, 0) do_for(text, text, (text)65, (void*)0)                \
          do_for(position, position, (position)64, 0) do_for(function, function, (function)68, 0)  \
              do_for(two_ints, two_ints, two_ints_of(5), two_ints_of(6))                           \
                  do_for(three_longs, three_longs, three_longs_of(11), three_longs_of(12)) do_for( \
                      hundred_bytes, hundred_bytes, hundred_bytes_of(13), hundred_bytes_of(14))    \
                      OTHERS_OF_16_BYTES(do_for)
/* clang fills these up, and with its own header a compare-exchange of them never succeeds. */
#if defined(WITHOUT_FILLED_UP) || defined(WITHOUT_16_BYTES)
#define FILLED_UP(do_for)
#else
STRUCTURE(three_bytes)
STRUCTURE(five_bytes)
STRUCTURE(three_ints)
#define FILLED_UP(do_for)                                                \
  do_for(three_bytes, three_bytes, three_bytes_of(1), three_bytes_of(2)) \
      do_for(five_bytes, five_bytes, five_bytes_of(3), five_bytes_of(4)) \
          do_for(three_ints, three_ints, three_ints_of(7), three_ints_of(8))
#endif

INTEGERS(INTEGER)
OTHERS(ANY_TYPE)
FILLED_UP(ANY_TYPE)

/* The orders as constants, where a compiler takes other paths and the header looks at them. */
#define CONSTANT_ORDERS(type, name, first, second)                                              \
  static void constant_orders_##name(void) {                                                    \
    static _Atomic(type) object;                                                                \
    type result, expected;                                                                      \
    printf("%s\n", #type);                                                                      \
    atomic_store_explicit(&object, first, memory_order_relaxed);                                \
    SHOW("relaxed", atomic_load_explicit(&object, memory_order_relaxed));                       \
    SHOW("consume", atomic_load_explicit(&object, memory_order_consume));                       \
    atomic_store_explicit(&object, second, memory_order_release);                               \
    SHOW("acquire", atomic_load_explicit(&object, memory_order_acquire));                       \
    atomic_store_explicit(&object, first, memory_order_seq_cst);                                \
    SHOW("seq_cst", atomic_load_explicit(&object, memory_order_seq_cst));                       \
    SHOW("relaxed", atomic_exchange_explicit(&object, second, memory_order_relaxed));           \
    SHOW("consume", atomic_exchange_explicit(&object, first, memory_order_consume));            \
    SHOW("acquire", atomic_exchange_explicit(&object, second, memory_order_acquire));           \
    SHOW("release", atomic_exchange_explicit(&object, first, memory_order_release));            \
    SHOW("acq_rel", atomic_exchange_explicit(&object, second, memory_order_acq_rel));           \
    expected = first;                                                                           \
    printf("  %d", atomic_compare_exchange_strong_explicit(                                     \
                       &object, &expected, first, memory_order_relaxed, memory_order_relaxed)); \
    printf(" %d", atomic_compare_exchange_strong_explicit(                                      \
                      &object, &expected, first, memory_order_acquire, memory_order_consume));  \
    printf(" %d", atomic_compare_exchange_strong_explicit(                                      \
                      &object, &expected, second, memory_order_release, memory_order_relaxed)); \
    printf(" %d", atomic_compare_exchange_strong_explicit(                                      \
                      &object, &expected, first, memory_order_acq_rel, memory_order_acquire));  \
    SHOW("then", atomic_load(&object));                                                         \
  }
CONSTANT_ORDERS(int, int, 1, -1)
CONSTANT_ORDERS(three_longs, three_longs, three_longs_of(1), three_longs_of(2))

#if !defined(WITHOUT_16_BYTES)
static void test_long_double(void) { /* six of whose bytes on x86 are nothing */
  static _Atomic(long double) object = ATOMIC_VAR_INIT(2.5L);
  printf("long double %Lg", atomic_exchange(&object, 3.5L));
  atomic_store(&object, 1);
  printf(" %Lg\n", atomic_load(&object));
}
#endif

static void test_flag_and_fences(void) {
  static atomic_flag flag = ATOMIC_FLAG_INIT;
  printf("flag %d", atomic_flag_test_and_set(&flag));
  FOR_EACH(n, store_order) {
    printf(" %d", atomic_flag_test_and_set(&flag));
    atomic_flag_clear_explicit(&flag, store_order[n]);
    FOR_EACH(m, any_order) {
      printf(" %d", atomic_flag_test_and_set_explicit(&flag, any_order[m]));
      atomic_thread_fence(any_order[m]);
      atomic_signal_fence(any_order[m]);
    }
  }
  atomic_flag_clear(&flag);
  printf(" %d\n", atomic_flag_test_and_set(&flag));
}

/* Arguments have effects, once. */
static void test_each_argument_is_evaluated_once(void) {
  static _Atomic(long) objects[3];
  long values[] = {0, 1, 2, 3, 4, 5, 6, 7}, *value = values, wanted[2] = {1, 9}, *want = wanted;
  _Atomic(long)* object = objects;
  int order = 0;
  atomic_init(object++, *value++);
  atomic_store_explicit(object--, *value++, store_order[order++]);
  printf("once %ld", atomic_load_explicit(object++, load_order[order++]));
  printf(" %d", atomic_compare_exchange_strong_explicit(object++, want++, *value++,
                                                        any_order[order++], load_order[1]));
  printf(" %ld", atomic_exchange_explicit(object--, *value++, any_order[order++]));
  printf(" %ld", atomic_fetch_add_explicit(object--, *value++, any_order[order++]));
  printf(" %ld\n", kill_dependency(*value++));
  printf("  %ld %ld %ld at %d %d %d %d\n", atomic_load(&objects[0]), atomic_load(&objects[1]),
         atomic_load(&objects[2]), (int)(object - objects), (int)(value - values),
         (int)(want - wanted), order);
  atomic_store(&objects[atomic_load(&objects[2]) % 3], atomic_exchange(&objects[1], 12));
  printf("  %ld %ld\n", atomic_load(&objects[0]), atomic_load(&objects[1]));
}

static void test_what_is_lock_free(void) {
  static _Atomic(char) one;
  static _Atomic(two_ints) eight;
  static _Atomic(three_longs) many;
  printf("lock-free %d %d %d %d %d %d %d %d %d %d", ATOMIC_BOOL_LOCK_FREE, ATOMIC_CHAR_LOCK_FREE,
         ATOMIC_CHAR16_T_LOCK_FREE, ATOMIC_CHAR32_T_LOCK_FREE, ATOMIC_WCHAR_T_LOCK_FREE,
         ATOMIC_SHORT_LOCK_FREE, ATOMIC_INT_LOCK_FREE, ATOMIC_LONG_LOCK_FREE,
         ATOMIC_LLONG_LOCK_FREE, ATOMIC_POINTER_LOCK_FREE);
  printf(" %d %d %d\n", atomic_is_lock_free(&one), atomic_is_lock_free(&eight),
         atomic_is_lock_free(&many));
}

/* All names of types, each holding what it says. */
#define NAMED(type)                                                        \
  do {                                                                     \
    static atomic_##type object = ATOMIC_VAR_INIT(1);                      \
    printf(" %d:%d", (int)sizeof object, atomic_exchange(&object, 0) > 0); \
  } while (0)

static void test_names(void) {
  printf("names");
  NAMED(bool);
  NAMED(char);
  NAMED(schar);
  NAMED(uchar);
  NAMED(short);
  NAMED(ushort);
  NAMED(int);
  NAMED(uint);
  NAMED(long);
  NAMED(ulong);
  NAMED(llong);
  NAMED(ullong);
  NAMED(char16_t);
  NAMED(char32_t);
  NAMED(wchar_t);
  NAMED(int_least8_t);
  NAMED(uint_least8_t);
  NAMED(int_least16_t);
  NAMED(uint_least16_t);
  NAMED(int_least32_t);
  NAMED(uint_least32_t);
  NAMED(int_least64_t);
  NAMED(uint_least64_t);
  NAMED(int_fast8_t);
  NAMED(uint_fast8_t);
  NAMED(int_fast16_t);
  NAMED(uint_fast16_t);
  NAMED(int_fast32_t);
  NAMED(uint_fast32_t);
  NAMED(int_fast64_t);
  NAMED(uint_fast64_t);
  NAMED(intptr_t);
  NAMED(uintptr_t);
  NAMED(size_t);
  NAMED(ptrdiff_t);
  NAMED(intmax_t);
  NAMED(uintmax_t);
  printf("\n");
}

int main(void) {
#define CALL(type, name, first, second) test_##name();
#define COMPUTE(type, name, first, second) compute_##name();
  INTEGERS(CALL)
  OTHERS(CALL)
  FILLED_UP(CALL)
  INTEGERS(COMPUTE)
  constant_orders_int();
  constant_orders_three_longs();
#if !defined(WITHOUT_16_BYTES)
  test_long_double();
#endif
  test_flag_and_fences();
  test_each_argument_is_evaluated_once();
  test_what_is_lock_free();
  test_names();
  return 0;
}
