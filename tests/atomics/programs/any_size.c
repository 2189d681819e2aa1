// SPDX-License-Identifier: MIT
//
// Each generic function, on objects of every size at every address within two lines, in every
// order: results, the object afterwards, and the bytes on both sides of it.
#include <string.h>

#include "functions.h"

enum { room = 3 * 4096 };
static _Alignas(4096) unsigned char memory[room], reference[room];
static unsigned round_number;

static void fill(unsigned char* buffer, size_t size) {
  ++round_number;
  for (size_t n = 0; n != size; ++n) buffer[n] = pattern(n, round_number);
}

static void check_object(size_t place, size_t size, int how) {
#ifdef WITHOUT_16_BYTES
  // Served by an instruction for 16 bytes, which the emulator at hand does not know.
  if (place % 8 + size > 8 && place % 16 + size <= 16) return;
#endif
  unsigned char* const object = memory + place;
  unsigned char before[4096], value[4096], result[4096];

  fill(memory + place - 32, size + 64);
  memcpy(reference + place - 32, memory + place - 32, size + 64);
  memcpy(before, object, size);
  any_load(size, object, result, how);
  CHECK(memcmp(result, before, size) == 0);

  fill(value, size);
  any_store(size, object, value, how);
  CHECK(memcmp(object, value, size) == 0);

  memcpy(before, value, size);
  fill(value, size);
  any_exchange(size, object, value, result, how);
  CHECK(memcmp(result, before, size) == 0);
  CHECK(memcmp(object, value, size) == 0);

  // The value may lie where the result goes.
  memcpy(before, value, size);
  fill(value, size);
  memcpy(result, value, size);
  any_exchange(size, object, result, result, how);
  CHECK(memcmp(result, before, size) == 0);
  CHECK(memcmp(object, value, size) == 0);

  memcpy(before, value, size);
  fill(value, size);
  memcpy(result, before, size);
  CHECK(any_compare_exchange(size, object, result, value, how, __ATOMIC_RELAXED) == 1);
  CHECK(memcmp(result, before, size) == 0);
  CHECK(memcmp(object, value, size) == 0);

  // Differs in one byte, the first, one in the middle or the last.
  for (int which = 0; size != 0 && which != 3; ++which) {
    memcpy(before, value, size);
    memcpy(result, value, size);
    result[which * (size - 1) / 2] ^= 0x80;
    fill(value, size);
    CHECK(any_compare_exchange(size, object, result, value, how, __ATOMIC_RELAXED) == 0);
    CHECK(memcmp(result, before, size) == 0);
    CHECK(memcmp(object, before, size) == 0);
    memcpy(value, before, size);
  }
  memcpy(reference + place, value, size);
  CHECK(memcmp(memory + place - 32, reference + place - 32, size + 64) == 0);
}

int main(void) {
  for (int how = 0; how != orders; ++how) {
    for (size_t size = 0; size <= 33; ++size) {
      for (size_t place = 4096; place != 4096 + 128; ++place) check_object(place, size, order[how]);
    }
    for (size_t place = 4096; place <= 4096 + 2048; place += 509) {
      check_object(place, 4096, order[how]);
      check_object(place, 1000, order[how]);
    }
  }
  return 0;
}
