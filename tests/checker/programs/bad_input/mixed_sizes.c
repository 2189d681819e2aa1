// SPDX-License-Identifier: MIT
// One byte of an atomic word, read as a byte: right or refused, never wrong. If it is right, the
// byte is 0 or 1 and both are seen.
//
// case: reads_a_byte_of_a_word
// expect: all=holds|refused|inconclusive executions=2 at=mixed
//
// case: writes_a_byte_of_a_word
// flags: -DWRITE
// expect: all=holds|refused|inconclusive at=mixed
//
// case: could_see_either
// flags: -DASSERT
// expect: all=violated:assertion|refused|inconclusive at=mixed
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

static union {
  _Atomic uint32_t word;
  _Atomic uint8_t bytes[4];
} both;

static void* write_word(void* unused) {
  (void)unused;
  atomic_store(&both.word, 0x01010101u);  // @mixed
  return NULL;
}

int main(void) {
  pthread_t writer;
  pthread_create(&writer, NULL, write_word, NULL);
#ifdef WRITE
  atomic_store(&both.bytes[1], 7);  // @mixed
  pthread_join(writer, NULL);
  uint32_t last = atomic_load(&both.word);  // @mixed
  assert(last == 0x01010101u || last == 0x01010701u);
#else
  uint8_t byte = atomic_load(&both.bytes[2]);  // @mixed
  assert(byte == 0 || byte == 1);
#ifdef ASSERT
  assert(byte == 0);  // @mixed
#endif
  pthread_join(writer, NULL);
#endif
  return 0;
}
