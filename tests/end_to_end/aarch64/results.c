// SPDX-License-Identifier: MIT
// Registers, flags and memory afterwards are what the processor gives. The program does the same
// natively.
#include <assert.h>
#include <stdint.h>

static uint64_t word;
static uint64_t two[2] __attribute__((aligned(16)));

#define DO(text, in, out) \
  __asm__ volatile(text : "=&r"(out), "+Q"(word) : "r"((uint64_t)(in)) : "x9", "memory", "cc")

static uint64_t done(uint64_t before, uint64_t out, uint64_t after, uint64_t found) {
  (void)before;
  assert(found == out && word == after);
  return out;
}

int main(void) {
  uint64_t out;
#define CASE(text, before, in, found, after) \
  word = before;                             \
  DO(text, in, out);                         \
  done(before, found, after, out)
  CASE("ldadd %2, %0, %1", 5, 3, 5, 8);
  CASE("ldclral %2, %0, %1", 7, 2, 7, 5);
  CASE("ldeora %2, %0, %1", 7, 2, 7, 5);
  CASE("ldsetl %2, %0, %1", 4, 3, 4, 7);
  CASE("swpal %2, %0, %1", 4, 3, 4, 3);
  CASE("ldsmax %2, %0, %1", -1UL, 1, -1UL, 1);
  CASE("ldumax %2, %0, %1", -1UL, 1, -1UL, -1UL);
  CASE("ldsmin %2, %0, %1", -1UL, 1, -1UL, -1UL);
  CASE("ldumin %2, %0, %1", -1UL, 1, -1UL, 1);
  CASE("ldaddb %w2, %w0, %1", 0x1ff, 1, 0xff, 0x100);
  CASE("ldaddh %w2, %w0, %1", 0x1ffff, 1, 0xffff, 0x10000);
  CASE("ldsmaxb %w2, %w0, %1", 0x80, 1, 0x80, 1);
  CASE("mov %0, %2\n cas %0, %2, %1", 3, 3, 3, 3);
  CASE("mov %0, #9\n casal %0, %2, %1", 3, 4, 3, 3);
  CASE("mov %0, #3\n casa %0, %2, %1", 3, 4, 3, 4);
  CASE("mov %0, #0\n ldrsb %w0, %1", 0x80, 0, 0xffffff80, 0x80);
  CASE("ldrsw %0, %1", 0x80000000, 0, 0xffffffff80000000, 0x80000000);
  CASE("ldarb %w0, %1", 0x1234, 0, 0x34, 0x1234);
  CASE("ldaprh %w0, %1", 0x12345, 0, 0x2345, 0x12345);
  CASE("mov %0, %2\n strb %w2, %1", 0x100, 0x2ff, 0x2ff, 0x1ff);
  CASE("mov %0, %2\n stlrh %w2, %1", 0x100000, 0x2ffff, 0x2ffff, 0x10ffff);
  // The flags are kept over an access.
  CASE("cmp %2, #3\n ldr %0, %1\n cset %0, eq", 1, 3, 1, 1);
  // A compare-exchange that leaves where it does not find what it expects.
  CASE("1: ldaxr %0, %1\n cmp %0, %2\n b.ne 2f\n stxr w9, xzr, %1\n cbnz w9, 1b\n2:", 4, 3, 4, 4);
  CASE("1: ldaxr %0, %1\n cmp %0, %2\n b.ne 2f\n stxr w9, xzr, %1\n cbnz w9, 1b\n2:", 3, 3, 3, 0);

  register uint64_t a __asm__("x2") = 0, b __asm__("x3") = 0;
  two[0] = 1;
  two[1] = 2;
  __asm__ volatile("1: ldxp %0, %1, %2\n stlxp w9, %1, %0, %2\n cbnz w9, 1b"
                   : "=&r"(a), "=&r"(b), "+Q"(two)::"x9", "memory");
  assert(a == 1 && b == 2 && two[0] == 2 && two[1] == 1);
  a = 2;
  b = 1;
  register uint64_t c __asm__("x4") = 7, d __asm__("x5") = 8;
  __asm__ volatile("caspal %0, %1, %3, %4, %2"
                   : "+r"(a), "+r"(b), "+Q"(two)
                   : "r"(c), "r"(d)
                   : "memory");
  assert(a == 2 && b == 1 && two[0] == 7 && two[1] == 8);
  return 0;
}
