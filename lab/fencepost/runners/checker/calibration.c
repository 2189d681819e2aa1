// SPDX-License-Identifier: MIT
// A fixed amount of the work that exploring consists of: small copies, searching small arrays,
// hashing words. Timed beside every round, it says how fast the machine was just then.
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { words = 2048, rounds = 60000 };

static uint64_t from[words];
static uint64_t to[words];

int main(void) {
  uint64_t hash = 1;
  for (int i = 0; i < words; i++) from[i] = (uint64_t)i * 0x9E3779B97F4A7C15;
  for (int round = 0; round < rounds; round++) {
    const int begin = (int)(hash % (words / 2));
    memcpy(to + begin, from + begin, words / 4 * sizeof *to);
    for (int i = begin; i < begin + words / 8; i++) {
      if (to[i] == hash) hash++;
      hash = (hash ^ to[i]) * 0xD6E8FEB86659FD93;
      hash ^= hash >> 32;
    }
    from[hash % words] ^= hash;
  }
  printf("%.6f %llu\n", (double)clock() / CLOCKS_PER_SEC, (unsigned long long)(hash & 1));
  return 0;
}
