// SPDX-License-Identifier: MIT
// An instruction on memory becomes a call, which does not keep the upper halves of AVX registers.
//
// case: beside_avx
// expect: all=inconclusive at=asm says="in a function that uses %ymm"
//
// case: that_nobody_comes_to
// flags: -DCOMES=word
// expect: all=holds executions=1
#include <immintrin.h>

#ifndef COMES
#define COMES 1
#endif

static float lanes[8];
static int word;

__attribute__((noinline, target("avx"))) static void both(void) {
  __m256 all = _mm256_set1_ps(lanes[0]);
  __asm__ volatile("lock; incl %0" : "+m"(word) : : "cc", "memory");  // @asm
  _mm256_storeu_ps(lanes, all);
}

int main(void) {
  if (COMES) both();
  return 0;
}
