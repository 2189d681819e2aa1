// SPDX-License-Identifier: MIT
//
// Functions of the library as nobody should write them: relaxed, whatever the order.
#include <stdbool.h>
#include <stdint.h>

#define NAMED(name) __asm__(name);

uint32_t load(const uint32_t* object, int order) NAMED("__atomic_load_4");
uint32_t load(const uint32_t* object, int order) {
  (void)order;
  return __atomic_load_n(object, __ATOMIC_RELAXED);
}

void store(uint32_t* object, uint32_t value, int order) NAMED("__atomic_store_4");
void store(uint32_t* object, uint32_t value, int order) {
  (void)order;
  __atomic_store_n(object, value, __ATOMIC_RELAXED);
}

uint32_t fetch_add(uint32_t* object, uint32_t value, int order) NAMED("__atomic_fetch_add_4");
uint32_t fetch_add(uint32_t* object, uint32_t value, int order) {
  (void)order;
  return __atomic_fetch_add(object, value, __ATOMIC_RELAXED);
}

bool compare_exchange(uint32_t* object, uint32_t* expected, uint32_t value, int success,
                      int failure) NAMED("__atomic_compare_exchange_4");
bool compare_exchange(uint32_t* object, uint32_t* expected, uint32_t value, int success,
                      int failure) {
  (void)success, (void)failure;
  return __atomic_compare_exchange_n(object, expected, value, false, __ATOMIC_RELAXED,
                                     __ATOMIC_RELAXED);
}

void fence(int order) NAMED("atomic_thread_fence");
void fence(int order) { (void)order; }
