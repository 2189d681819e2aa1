// SPDX-License-Identifier: MIT
// Instructions on memory give the registers and flags that the processor gives, and keep all
// others.
//
// case: results
// expect: all=holds executions=1
//
// case: results_at_O0
// flags: -O0
// expect: all=holds executions=1
//
// case: results_at_O2
// flags: -O2
// expect: all=holds executions=1
#include <assert.h>
#include <stdint.h>

static uint8_t u8;
static uint16_t u16;
static uint32_t u32, table[8];
static uint64_t u64;
static __attribute__((aligned(16))) uint64_t pair[2];

enum { carry = 1, zero = 0x40, sign = 0x80, overflow = 0x800 };

// The flags after an instruction on memory, with the carry set before it.
#define FLAGS(instruction, word)                                              \
  ({                                                                          \
    uint8_t low, over;                                                        \
    __asm__ volatile("stc; " instruction "; seto %%dl; lahf; movb %%ah, %%al" \
                     : "+m"(word), "=a"(low), "=d"(over)                      \
                     :                                                        \
                     : "memory", "cc");                                       \
    (low & (carry | zero | sign)) | (over ? overflow : 0);                    \
  })

static void sizes(void) {
  u8 = 0xff;
  assert(FLAGS("lock; addb $1, %0", u8) == (carry | zero) && u8 == 0);
  u16 = 0x7fff;
  assert(FLAGS("lock addw $1, %0", u16) == (sign | overflow) && u16 == 0x8000);
  u32 = 1;
  assert(FLAGS("lock subl $2, %0", u32) == (carry | sign) && u32 == 0xffffffff);
  u64 = UINT64_C(1) << 63;
  assert(FLAGS("lock decq %0", u64) == (carry | overflow) && u64 == UINT64_MAX >> 1);
  assert(FLAGS("lock incq %0", u64) == (carry | sign | overflow) && u64 == UINT64_C(1) << 63);
  assert(FLAGS("lock andq $-1, %0", u64) == sign);
  assert(FLAGS("lock orq $1, %0", u64) == sign && (u64 & 1) == 1);
  assert(FLAGS("lock xorq $1, %0", u64) == sign && (u64 & 1) == 0);
  assert((FLAGS("lock notq %0", u64) & carry) == carry && u64 == UINT64_MAX >> 1);
  u32 = 0xffffffff;
  assert(FLAGS("incl %0", u32) == (carry | zero) && u32 == 0);
  assert(FLAGS("orl $0x80000000, %0", u32) == sign && u32 == 0x80000000);
  assert(FLAGS("cmpl $0x80000000, %0", u32) == zero);
  assert(FLAGS("lock orl $0x80000001, %0", u32) == sign && u32 == 0x80000001);
}

static void exchanges(void) {
  uint32_t r = 7, old = 3;
  uint8_t done;
  u32 = 5;
  __asm__ volatile("xchgl %0, %1" : "+r"(r), "+m"(u32));
  assert(r == 5 && u32 == 7);
  __asm__ volatile("lock; xaddl %0, %1" : "+r"(r), "+m"(u32) : : "cc");
  assert(r == 7 && u32 == 12);
  __asm__ volatile("lock cmpxchgl %3, %1; sete %2" : "+a"(old), "+m"(u32), "=q"(done) : "r"(9));
  assert(old == 12 && !done && u32 == 12);
  __asm__ volatile("lock cmpxchgl %3, %1; sete %2" : "+a"(old), "+m"(u32), "=q"(done) : "r"(9));
  assert(old == 12 && done && u32 == 9);
  uint8_t small = 1;
  u8 = 2;
  __asm__ volatile("xaddb %0, %1" : "+q"(small), "+m"(u8) : : "cc");
  assert(small == 2 && u8 == 3);
}

static void pairs(void) {
  uint64_t low = 1, high = 2;
  uint8_t done;
  pair[0] = 1;
  pair[1] = 3;
  for (int i = 0; i < 2; i++) {
    __asm__ volatile("lock cmpxchg16b %0; sete %3"
                     : "+m"(pair), "+a"(low), "+d"(high), "=q"(done)
                     : "b"(UINT64_C(10)), "c"(UINT64_C(20)));
    assert(low == 1 && high == 3 && done == i);
  }
  assert(pair[0] == 10 && pair[1] == 20);
}

static void bits(void) {
  uint8_t was;
  u32 = 0;
  __asm__ volatile("lock btsl $33, %0; setc %1" : "+m"(u32), "=q"(was));
  assert(!was && u32 == 2);
  __asm__ volatile("lock btrl $1, %0; setc %1" : "+m"(u32), "=q"(was));
  assert(was && u32 == 0);
  // A number in a register reaches beyond the word, also backwards.
  __asm__ volatile("lock btcl %2, %0; setc %1" : "+m"(table[4]), "=q"(was) : "r"(35) : "memory");
  assert(!was && table[5] == 8 && table[4] == 0);
  __asm__ volatile("lock btsl %2, %0; setc %1" : "+m"(table[4]), "=q"(was) : "r"(-1) : "memory");
  assert(!was && table[3] == 0x80000000);
}

static void loads_and_stores(void) {
  uint64_t wide = UINT64_MAX;
  uint32_t narrow;
  int16_t word = -2;
  u32 = 0x80000000;
  __asm__ volatile("movl %1, %k0" : "=r"(wide) : "m"(u32));
  assert(wide == 0x80000000);
  __asm__ volatile("movslq %1, %0" : "=r"(wide) : "m"(u32));
  assert(wide == UINT64_C(0xffffffff80000000));
  __asm__ volatile("movw %1, %0" : "=m"(u16) : "r"(word));
  __asm__ volatile("movzwl %1, %0" : "=r"(narrow) : "m"(u16));
  assert(narrow == 0xfffe);
  __asm__ volatile("movq $-3, %0" : "=m"(u64));
  __asm__ volatile("mov %1, %0" : "=r"(wide) : "m"(u64));
  assert(wide == UINT64_MAX - 2);
  double real = 1.5, back;
  __asm__ volatile("movq %1, %0; movq %0, %2" : "=m"(u64), "+x"(real), "=x"(back));
  assert(u64 == UINT64_C(0x3ff8000000000000));
  // Addressing modes.
  for (uint64_t i = 0; i < 8; i++) {
    __asm__ volatile("movl %k1, (%0,%1,4)" : : "r"(table), "r"(i) : "memory");
  }
  __asm__ volatile("movl -4(%1,%2,4), %0" : "=r"(narrow) : "r"(table), "r"(UINT64_C(3)) : "memory");
  assert(narrow == 2);
  __asm__ volatile("lock; addl $5, table+12" : : : "memory", "cc");
  __asm__ volatile("movl table+12(%%rip), %0" : "=r"(narrow) : : "memory");
  assert(narrow == 8);
}

// A leaf, which may keep its variables below the stack pointer, with values in registers that an
// ordinary call does not preserve.
static __attribute__((noinline)) uint64_t keeps_registers(uint64_t a, uint64_t b, uint64_t c,
                                                          uint64_t d, double x) {
  volatile uint64_t kept[4] = {a, b, c, d};
  __asm__ volatile("lock; addl $1, %0" : "+m"(u32) : : "cc");
  __asm__ volatile("mfence");
  __asm__ volatile("lock; addl $0, (%%rsp)" : : : "memory", "cc");
  return a + 2 * b + 3 * c + 4 * d + (uint64_t)x + kept[0] + kept[1] + kept[2] + kept[3];
}

static void pure(void) {
  uint32_t n = 0x00f0, m;
  __asm__("bsrl %1, %0" : "=r"(m) : "r"(n) : "cc");
  assert(m == 7);
  __asm__("bsf %1, %0" : "=r"(m) : "r"(n) : "cc");
  assert(m == 4);
  __asm__("bswap %0\n\troll $8, %0" : "+r"(n) : : "cc");
  assert(n == 0x000000f0);
  __asm__ volatile("1: decl %0; jnz 1b" : "+r"(m) : : "cc");
  assert(m == 0);
  __asm__ volatile goto("testl %0, %0; jz %l1" : : "r"(m) : "cc" : is_zero);
  assert(0);
is_zero:
  __asm__ volatile("prefetchw %0; lfence; sfence; pause; rep; nop" : : "m"(u32) : "memory");
}

int main(void) {
  sizes();
  exchanges();
  pairs();
  bits();
  loads_and_stores();
  assert(keeps_registers(1, 2, 3, 4, 5.0) == 1 + 4 + 9 + 16 + 5 + 10);
  pure();
  return 0;
}
