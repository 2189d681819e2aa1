/* SPDX-License-Identifier: MIT */
/*
 * Objects that are shared by translation units which get <stdatomic.h> in different ways. C and
 * C++.
 */
#pragma once
#include <stdatomic.h>

struct two_ints {
  int first, second;
};
struct two_longs {
  long first, second;
};
struct three_longs {
  long first, second, third;
};
struct three_bytes {
  unsigned char first, second, third;
};
struct node {
  struct node* next;
};

struct shared {
  atomic_flag flag;
  _Atomic(signed char) small;
  atomic_short medium;
  char filler;
  atomic_llong large;
  atomic_int whole;
  atomic_bool turn;
  _Atomic(struct two_ints) pair;
  char another;
  _Atomic(struct two_longs) wide_pair;
  _Atomic(struct three_longs) triple;
#if defined(WITH_THREE_BYTES) /* clang's C fills these up, gcc and C++ do not */
  _Atomic(struct three_bytes) bytes;
  char neighbour;
  _Atomic(struct three_bytes) each[3];
#endif
  _Atomic(struct node*) head;
  _Atomic(double) real;
  long under_flag, under_turn; /* not atomic: each has a lock */
};

enum { figures = 16 };

#ifdef __cplusplus
extern "C"
#endif
    typedef void
    working(struct shared*, struct node* own, int rounds);
#ifdef __cplusplus
extern "C"
#endif
    typedef void
    measuring(long figure[figures]);
