// SPDX-License-Identifier: MIT
// Concurrency Kit's spin locks, on C11: two threads, one counter.
//
// case: fas
// flags: -DFAS
// expect: c++20=holds
//
// case: cas
// flags: -DCAS
// expect: c++20=holds
//
// case: dec
// flags: -DDEC
// expect: c++20=holds
//
// case: ticket
// flags: -DTICKET
// expect: c++20=holds
//
// case: anderson
// flags: -DANDERSON
// expect: c++20=holds
//
// case: clh
// flags: -DCLH
// expect: c++20=holds
//
// It writes to a node whose address it has from a relaxed exchange: processors order that, by the
// address; C11 does not. That is all that is missing.
//
// case: mcs
// flags: -DMCS
// expect: c++20=violated:data-race
//
// case: mcs_if_addresses_order
// flags: -DMCS -DPORT_READ=__ATOMIC_ACQUIRE
// expect: c++20=holds
#include <pthread.h>
#include <stddef.h>

#include "ck_on_c11.h"

#if defined(FAS)
static ck_spinlock_fas_t lock = CK_SPINLOCK_FAS_INITIALIZER;
#define LOCK() ck_spinlock_fas_lock(&lock)
#define UNLOCK() ck_spinlock_fas_unlock(&lock)
#elif defined(CAS)
static ck_spinlock_cas_t lock = CK_SPINLOCK_CAS_INITIALIZER;
#define LOCK() ck_spinlock_cas_lock(&lock)
#define UNLOCK() ck_spinlock_cas_unlock(&lock)
#elif defined(DEC)
static ck_spinlock_dec_t lock = CK_SPINLOCK_DEC_INITIALIZER;
#define LOCK() ck_spinlock_dec_lock(&lock)
#define UNLOCK() ck_spinlock_dec_unlock(&lock)
#elif defined(TICKET)
static ck_spinlock_ticket_t lock = CK_SPINLOCK_TICKET_INITIALIZER;
#define LOCK() ck_spinlock_ticket_lock(&lock)
#define UNLOCK() ck_spinlock_ticket_unlock(&lock)
#elif defined(MCS)
static ck_spinlock_mcs_t lock = CK_SPINLOCK_MCS_INITIALIZER;
static ck_spinlock_mcs_context_t nodes[2];
#define LOCK() ck_spinlock_mcs_lock(&lock, &nodes[me])
#define UNLOCK() ck_spinlock_mcs_unlock(&lock, &nodes[me])
#elif defined(CLH)
static ck_spinlock_clh_t *lock, unowned, nodes[2];
static ck_spinlock_clh_t* mine[2] = {&nodes[0], &nodes[1]};
#define INITIALISE() ck_spinlock_clh_init(&lock, &unowned)
#define LOCK() ck_spinlock_clh_lock(&lock, mine[me])
#define UNLOCK() ck_spinlock_clh_unlock(&mine[me])
#elif defined(ANDERSON)
static ck_spinlock_anderson_t lock;
static ck_spinlock_anderson_thread_t slots[2], *mine[2];
#define INITIALISE() ck_spinlock_anderson_init(&lock, slots, 2)
#define LOCK() ck_spinlock_anderson_lock(&lock, &mine[me])
#define UNLOCK() ck_spinlock_anderson_unlock(&lock, mine[me])
#endif
#ifndef INITIALISE
#define INITIALISE() (void)0
#endif

static int inside;

static void work(int me) {
  (void)me;
  LOCK();
  inside++;
  UNLOCK();
}

static void* second(void* unused) {
  work(1);
  return unused;
}

int main(void) {
  pthread_t other;
  INITIALISE();
  pthread_create(&other, NULL, second, NULL);
  work(0);
  pthread_join(other, NULL);
  return 0;
}
