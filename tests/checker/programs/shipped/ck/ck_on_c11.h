// SPDX-License-Identifier: MIT
// Concurrency Kit on C11: a port of its lowest layer, and nothing else of it.
//
// Everything in CK is written on ck_pr_load, ck_pr_store, ck_pr_cas and so on, and on fences that
// are named after what they keep apart; each processor has a port of them. Those are inline
// assembly, and the generic one for gcc has volatile accesses, which are data races to the
// standard. This one says in C11 what ck_pr(3) promises, as weakly as C11 can: loads, stores and
// read-modify-writes are relaxed, and a fence is the weakest that keeps apart what its name says.
// The memory model is RMO, CK's own name for the one of AArch64 and POWER, where all of its fences
// are there.
//
// PORT_READ=__ATOMIC_ACQUIRE is a stronger layer, whose reads are never overtaken. What holds on it
// and not without leans on what processors order and C11 does not: by an address that was read, or
// a branch on it.
//
// The programs here include CK by way of this file, which has to come before.
#pragma once

#ifndef PORT_READ
#define PORT_READ __ATOMIC_RELAXED
#endif

#include <ck_md.h>
#undef CK_MD_TSO
#define CK_MD_RMO
#define CK_USE_CC_BUILTINS 1

#define CK_PR_GCC_H  // in the place of <gcc/ck_pr.h>
#define CK_F_PR
#include <ck_cc.h>
#include <ck_stdbool.h>
#include <ck_stdint.h>
#include <gcc/ck_f_pr.h>

CK_CC_INLINE static void ck_pr_barrier(void) {}
CK_CC_INLINE static void ck_pr_stall(void) {}

#define PORT_FENCE(NAME, ORDER) \
  CK_CC_INLINE static void ck_pr_fence_strict_##NAME(void) { __atomic_thread_fence(ORDER); }

PORT_FENCE(load, __ATOMIC_ACQUIRE)
PORT_FENCE(load_load, __ATOMIC_ACQUIRE)
PORT_FENCE(load_store, __ATOMIC_RELEASE)
PORT_FENCE(load_atomic, __ATOMIC_ACQ_REL)
PORT_FENCE(store, __ATOMIC_RELEASE)
PORT_FENCE(store_store, __ATOMIC_RELEASE)
PORT_FENCE(store_load, __ATOMIC_SEQ_CST)
PORT_FENCE(store_atomic, __ATOMIC_RELEASE)
PORT_FENCE(atomic, __ATOMIC_ACQ_REL)
PORT_FENCE(atomic_atomic, __ATOMIC_ACQ_REL)
PORT_FENCE(atomic_load, __ATOMIC_SEQ_CST)
PORT_FENCE(atomic_store, __ATOMIC_ACQ_REL)
PORT_FENCE(memory, __ATOMIC_SEQ_CST)
PORT_FENCE(acquire, __ATOMIC_ACQUIRE)
PORT_FENCE(release, __ATOMIC_RELEASE)
PORT_FENCE(acqrel, __ATOMIC_ACQ_REL)
PORT_FENCE(lock, __ATOMIC_ACQ_REL)
PORT_FENCE(unlock, __ATOMIC_ACQ_REL)

#define PORT_ACCESS(NAME, TARGET, TYPE)                                                        \
  CK_CC_INLINE static TYPE ck_pr_md_load_##NAME(const TARGET* target) {                        \
    return (TYPE)__atomic_load_n((TYPE const*)target, PORT_READ);                              \
  }                                                                                            \
  CK_CC_INLINE static bool ck_pr_cas_##NAME(TARGET* target, TYPE old, TYPE set) {              \
    return __atomic_compare_exchange_n((TYPE*)target, &old, set, false, PORT_READ, PORT_READ); \
  }                                                                                            \
  CK_CC_INLINE static bool ck_pr_cas_##NAME##_value(TARGET* target, TYPE old, TYPE set,        \
                                                    TARGET* value) {                           \
    const bool done =                                                                          \
        __atomic_compare_exchange_n((TYPE*)target, &old, set, false, PORT_READ, PORT_READ);    \
    *(TYPE*)value = old;                                                                       \
    return done;                                                                               \
  }

#define PORT_ARITHMETIC(NAME, TYPE)                                          \
  PORT_ACCESS(NAME, TYPE, TYPE)                                              \
  CK_CC_INLINE static void ck_pr_md_store_##NAME(TYPE* target, TYPE value) { \
    __atomic_store_n(target, value, __ATOMIC_RELAXED);                       \
  }                                                                          \
  CK_CC_INLINE static TYPE ck_pr_faa_##NAME(TYPE* target, TYPE by) {         \
    return __atomic_fetch_add(target, by, __ATOMIC_RELAXED);                 \
  }                                                                          \
  CK_CC_INLINE static void ck_pr_inc_##NAME(TYPE* target) {                  \
    __atomic_fetch_add(target, 1, __ATOMIC_RELAXED);                         \
  }                                                                          \
  CK_CC_INLINE static void ck_pr_dec_##NAME(TYPE* target) {                  \
    __atomic_fetch_sub(target, 1, __ATOMIC_RELAXED);                         \
  }                                                                          \
  PORT_UPDATE(add, NAME, TYPE)                                               \
  PORT_UPDATE(sub, NAME, TYPE)                                               \
  PORT_UPDATE(and, NAME, TYPE)                                               \
  PORT_UPDATE(or, NAME, TYPE)                                                \
  PORT_UPDATE(xor, NAME, TYPE)

#define PORT_UPDATE(WHAT, NAME, TYPE)                                     \
  CK_CC_INLINE static void ck_pr_##WHAT##_##NAME(TYPE* target, TYPE by) { \
    __atomic_fetch_##WHAT(target, by, __ATOMIC_RELAXED);                  \
  }

PORT_ACCESS(ptr, void, void*)
CK_CC_INLINE static void ck_pr_md_store_ptr(void* target, const void* value) {
  __atomic_store_n((const void**)target, value, __ATOMIC_RELAXED);
}
CK_CC_INLINE static void* ck_pr_faa_ptr(void* target, uintptr_t by) {
  return (void*)__atomic_fetch_add((uintptr_t*)target, by, __ATOMIC_RELAXED);
}
#define PORT_POINTER(WHAT)                                                  \
  CK_CC_INLINE static void ck_pr_##WHAT##_ptr(void* target, uintptr_t by) { \
    __atomic_fetch_##WHAT((uintptr_t*)target, by, __ATOMIC_RELAXED);        \
  }
PORT_POINTER(add)
PORT_POINTER(sub)
PORT_POINTER(and)
PORT_POINTER(or)
PORT_POINTER(xor)
CK_CC_INLINE static void ck_pr_inc_ptr(void* target) { ck_pr_add_ptr(target, 1); }
CK_CC_INLINE static void ck_pr_dec_ptr(void* target) { ck_pr_sub_ptr(target, 1); }

PORT_ARITHMETIC(char, char)
PORT_ARITHMETIC(int, int)
PORT_ARITHMETIC(uint, unsigned int)
PORT_ARITHMETIC(64, uint64_t)
PORT_ARITHMETIC(32, uint32_t)
PORT_ARITHMETIC(16, uint16_t)
PORT_ARITHMETIC(8, uint8_t)

#define CK_PR_DISABLE_DOUBLE

#include <ck_bytelock.h>
#include <ck_fifo.h>
#include <ck_pflock.h>
#include <ck_ring.h>
#include <ck_rwlock.h>
#include <ck_sequence.h>
#include <ck_spinlock.h>
#include <ck_stack.h>
#include <ck_swlock.h>
#include <ck_tflock.h>
