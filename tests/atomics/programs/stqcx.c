// SPDX-License-Identifier: MIT
//
// Does the pair of instructions that exchanges 16 bytes on ppc64le ever succeed here?
__extension__ typedef unsigned __int128 uint128_t;

static _Alignas(16) uint128_t word;

int main(void) {
  for (int attempts = 0; attempts != 1000; ++attempts) {
    uint128_t value;
    unsigned result;
    __asm__ volatile(
        "lqarx %0, 0, %2\n\t"
        "stqcx. %0, 0, %2\n\t"
        "mfcr %1"
        : "=&r"(value), "=&r"(result)
        : "r"(&word)
        : "cr0", "memory");
    if ((result & 0x20000000U) != 0) return 0;
  }
  return 1;
}
