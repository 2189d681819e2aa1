// SPDX-License-Identifier: MIT
//
// The library's functions by names that compilers do not know, so that each use is a call.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition)                                              \
  do {                                                                \
    if (!(condition)) {                                               \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                        \
    }                                                                 \
  } while (0)

void any_load(size_t, const volatile void*, void*, int) __asm__("__atomic_load");
void any_store(size_t, volatile void*, const void*, int) __asm__("__atomic_store");
void any_exchange(size_t, volatile void*, const void*, void*, int) __asm__("__atomic_exchange");
// Registers hold more than a bool: whoever declares int must get 0 or 1 as well.
int any_compare_exchange(size_t, volatile void*, void*, const void*, int,
                         int) __asm__("__atomic_compare_exchange");

__extension__ typedef unsigned __int128 uint128_t;
typedef uint8_t u1;
typedef uint16_t u2;
typedef uint32_t u4;
typedef uint64_t u8;
typedef uint128_t u16;

enum { orders = 6 };
static const int order[orders] = {__ATOMIC_RELAXED, __ATOMIC_CONSUME, __ATOMIC_ACQUIRE,
                                  __ATOMIC_RELEASE, __ATOMIC_ACQ_REL, __ATOMIC_SEQ_CST};

// A different byte for each place and round, and no two rounds alike.
static inline unsigned char pattern(size_t place, unsigned round) {
  return (unsigned char)((place * 37 + round * 101) ^ (round >> 3));
}
