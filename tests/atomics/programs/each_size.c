// SPDX-License-Identifier: MIT
//
// The functions of each size, of both families, against the same arithmetic in plain C. Their
// results are read as whole registers: what is beyond a small object is zero.
#include <string.h>

#include "functions.h"

static unsigned long long random_state = 88172645463325252ULL;
static uint128_t any_number(void) {
  uint128_t number = 0;
  for (int n = 0; n != 2; ++n) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    number = number << 64 | random_state;
  }
  return number;
}

#define ADD(a, b) ((a) + (b))
#define SUB(a, b) ((a) - (b))
#define AND(a, b) ((a) & (b))
#define OR(a, b) ((a) | (b))
#define XOR(a, b) ((a) ^ (b))
#define NAND(a, b) (~((a) & (b)))

// r: what the function is declared to return; of 1 and 2 bytes, the register that holds it.
#define DECLARE_ARITHMETIC(N, r, name)                                                       \
  r fetch_##name##_##N(volatile void*, u##N, int) __asm__("__atomic_fetch_" #name "_" #N);   \
  r name##_fetch_##N(volatile void*, u##N, int) __asm__("__atomic_" #name "_fetch_" #N);     \
  r sync_fetch_##name##_##N(volatile void*, u##N) __asm__("__sync_fetch_and_" #name "_" #N); \
  r sync_##name##_fetch_##N(volatile void*, u##N) __asm__("__sync_" #name "_and_fetch_" #N);

#define DECLARE(N, r)                                                                        \
  r load_##N(const volatile void*, int) __asm__("__atomic_load_" #N);                        \
  void store_##N(volatile void*, u##N, int) __asm__("__atomic_store_" #N);                   \
  r exchange_##N(volatile void*, u##N, int) __asm__("__atomic_exchange_" #N);                \
  int compare_exchange_##N(volatile void*, void*, u##N, int,                                 \
                           int) __asm__("__atomic_compare_exchange_" #N);                    \
  int test_and_set_##N(volatile void*, int) __asm__("__atomic_test_and_set_" #N);            \
  int sync_bool_##N(volatile void*, u##N, u##N) __asm__("__sync_bool_compare_and_swap_" #N); \
  r sync_val_##N(volatile void*, u##N, u##N) __asm__("__sync_val_compare_and_swap_" #N);     \
  r sync_set_##N(volatile void*, u##N) __asm__("__sync_lock_test_and_set_" #N);              \
  void sync_release_##N(volatile void*) __asm__("__sync_lock_release_" #N);                  \
  DECLARE_ARITHMETIC(N, r, add)                                                              \
  DECLARE_ARITHMETIC(N, r, sub)                                                              \
  DECLARE_ARITHMETIC(N, r, and)                                                              \
  DECLARE_ARITHMETIC(N, r, or)                                                               \
  DECLARE_ARITHMETIC(N, r, xor)                                                              \
  DECLARE_ARITHMETIC(N, r, nand)

DECLARE(1, unsigned)
DECLARE(2, unsigned)
DECLARE(4, u4)
DECLARE(8, u8)
DECLARE(16, u16)

#define TEST_ARITHMETIC(N, name, of)                            \
  a = (u##N)any_number();                                       \
  b = (u##N)any_number();                                       \
  object.whole = a;                                             \
  CHECK(fetch_##name##_##N(&object, b, how) == a);              \
  CHECK(object.whole == (u##N)of(a, b));                        \
  object.whole = a;                                             \
  CHECK(name##_fetch_##N(&object, b, how) == (u##N)of(a, b));   \
  CHECK(object.whole == (u##N)of(a, b));                        \
  object.whole = a;                                             \
  CHECK(sync_fetch_##name##_##N(&object, b) == a);              \
  CHECK(object.whole == (u##N)of(a, b));                        \
  object.whole = a;                                             \
  CHECK(sync_##name##_fetch_##N(&object, b) == (u##N)of(a, b)); \
  CHECK(object.whole == (u##N)of(a, b));

#define TEST(N)                                                                        \
  static void test_##N(int how) {                                                      \
    _Alignas(16) struct { u##N whole, beyond; } object = {0, (u##N)0x5a};              \
    u##N a = (u##N)any_number(), b = (u##N)any_number(), seen;                         \
    store_##N(&object, a, how);                                                        \
    CHECK(object.whole == a);                                                          \
    CHECK(load_##N(&object, how) == a);                                                \
    CHECK(exchange_##N(&object, b, how) == a);                                         \
    CHECK(object.whole == b);                                                          \
    seen = b;                                                                          \
    CHECK(compare_exchange_##N(&object, &seen, a, how, __ATOMIC_RELAXED) == 1);        \
    CHECK(object.whole == a && seen == b);                                             \
    unsigned char anywhere[sizeof(u##N) + 1];                                          \
    memcpy(anywhere + 1, &a, sizeof a);                                                \
    CHECK(compare_exchange_##N(&object, anywhere + 1, a, how, __ATOMIC_RELAXED) == 1); \
    seen = (u##N)(a + 1);                                                              \
    CHECK(compare_exchange_##N(&object, &seen, b, how, __ATOMIC_RELAXED) == 0);        \
    CHECK(object.whole == a && seen == a);                                             \
    CHECK(sync_bool_##N(&object, a, b) == 1 && object.whole == b);                     \
    CHECK(sync_bool_##N(&object, (u##N)(b + 1), a) == 0 && object.whole == b);         \
    CHECK(sync_val_##N(&object, b, a) == b && object.whole == a);                      \
    CHECK(sync_val_##N(&object, (u##N)(a + 1), b) == a && object.whole == a);          \
    CHECK(sync_set_##N(&object, b) == a && object.whole == b);                         \
    sync_release_##N(&object);                                                         \
    CHECK(object.whole == 0);                                                          \
    CHECK(test_and_set_##N(&object, how) == 0 && object.whole == 1);                   \
    CHECK(test_and_set_##N(&object, how) == 1 && object.whole == 1);                   \
    TEST_ARITHMETIC(N, add, ADD)                                                       \
    TEST_ARITHMETIC(N, sub, SUB)                                                       \
    TEST_ARITHMETIC(N, and, AND)                                                       \
    TEST_ARITHMETIC(N, or, OR)                                                         \
    TEST_ARITHMETIC(N, xor, XOR)                                                       \
    TEST_ARITHMETIC(N, nand, NAND)                                                     \
    CHECK(object.beyond == (u##N)0x5a);                                                \
  }

TEST(1)
TEST(2)
TEST(4)
TEST(8)
#ifndef WITHOUT_16_BYTES
TEST(16)
#endif

int flag_set(volatile void*) __asm__("atomic_flag_test_and_set");
int flag_set_explicit(volatile void*, int) __asm__("atomic_flag_test_and_set_explicit");
void flag_clear(volatile void*) __asm__("atomic_flag_clear");
void flag_clear_explicit(volatile void*, int) __asm__("atomic_flag_clear_explicit");
void thread_fence(int) __asm__("atomic_thread_fence");
void signal_fence(int) __asm__("atomic_signal_fence");
void synchronize(void) __asm__("__sync_synchronize");

int main(void) {
  for (int n = 0; n != 50; ++n) {
    for (int how = 0; how != orders; ++how) {
      test_1(order[how]);
      test_2(order[how]);
      test_4(order[how]);
      test_8(order[how]);
#ifndef WITHOUT_16_BYTES
      test_16(order[how]);
#endif
    }
  }
  unsigned char flag = 0;
  for (int how = 0; how != orders; ++how) {
    CHECK(flag_set(&flag) == 0 && flag == 1);
    CHECK(flag_set(&flag) == 1);
    flag_clear(&flag);
    CHECK(flag == 0);
    CHECK(flag_set_explicit(&flag, order[how]) == 0 && flag == 1);
    CHECK(flag_set_explicit(&flag, order[how]) == 1);
    flag_clear_explicit(&flag, order[how]);
    CHECK(flag == 0);
    thread_fence(order[how]);
    signal_fence(order[how]);
  }
  synchronize();
  return 0;
}
