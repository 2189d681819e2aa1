// SPDX-License-Identifier: MIT
// Atomics of 1, 2, 4 and 8 bytes side by side in one structure do not disturb each other, and
// every read-modify-write of the standard does what it says.
//
// case: widths
// expect: c++20=holds executions=16
// expect: x86=holds sc=holds executions=5
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

static struct {
  _Atomic uint8_t byte;
  _Atomic uint16_t half;
  _Atomic uint32_t word;
  _Atomic uint64_t longword;
} all = {0xf0, 0xff00, 0xffff0000u, 0xffffffff00000000u};

static void* change(void* unused) {
  (void)unused;
  atomic_fetch_or(&all.byte, 0x0f);
  atomic_fetch_and(&all.half, 0x0ff0);
  atomic_fetch_xor(&all.word, 0xffffffffu);
  atomic_fetch_sub(&all.longword, 1);
  return NULL;
}

static void* look(void* unused) {
  (void)unused;
  uint64_t longword = atomic_load_explicit(&all.longword, memory_order_relaxed);
  uint32_t word = atomic_load_explicit(&all.word, memory_order_relaxed);
  uint16_t half = atomic_load_explicit(&all.half, memory_order_relaxed);
  uint8_t byte = atomic_load_explicit(&all.byte, memory_order_relaxed);
  assert(byte == 0xf0 || byte == 0xff);
  assert(half == 0xff00 || half == 0x0f00);
  assert(word == 0xffff0000u || word == 0x0000ffffu);
  assert(longword == 0xffffffff00000000u || longword == 0xfffffffeffffffffu);
  return NULL;
}

int main(void) {
  pthread_t writer, reader;
  pthread_create(&writer, NULL, change, NULL);
  pthread_create(&reader, NULL, look, NULL);
  pthread_join(writer, NULL);
  pthread_join(reader, NULL);
  assert(atomic_exchange(&all.byte, 1) == 0xff);
  return 0;
}
