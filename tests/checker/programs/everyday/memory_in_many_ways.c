// SPDX-License-Identifier: MIT
// Atomics in memory that came from malloc, calloc, realloc and memset, and that was used before.
//
// case: fresh_and_reused
// options: --leaks
// expect: all=holds executions=2
//
// case: large
// flags: -DLARGE
// expect: all=holds executions=2
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct account {
  char name[40];
  pthread_mutex_t mutex;
  atomic_long balance;
  long plain;
};

#ifdef LARGE
static char arena[64 << 20];
#endif

static void* deposit(void* argument) {
  struct account* account = argument;
#ifdef LARGE
  char page[1 << 20];
  memset(page, 1, sizeof page);
  arena[sizeof arena - 1] = page[sizeof page - 1];
#endif
  atomic_fetch_add_explicit(&account->balance, 5, memory_order_relaxed);
  return NULL;
}

static void* look(void* argument) {
  struct account* account = argument;
  long seen = atomic_load_explicit(&account->balance, memory_order_relaxed);
  assert(seen == 100 || seen == 105);
  pthread_mutex_lock(&account->mutex);
  account->plain++;
  pthread_mutex_unlock(&account->mutex);
  return NULL;
}

static struct account* open_account(int number) {
  struct account* account = number % 2 == 0 ? calloc(1, sizeof *account) : malloc(sizeof *account);
  memset(account, 0, sizeof *account);
  snprintf(account->name, sizeof account->name, "account number %d", number);
  pthread_mutex_init(&account->mutex, NULL);
  atomic_init(&account->balance, 0);
  atomic_fetch_add(&account->balance, 100);
  return account;
}

int main(void) {
  for (int i = 0; i < 3; i++) {
    struct account* account = open_account(i);
    assert(atomic_load(&account->balance) == 100);
    pthread_mutex_destroy(&account->mutex);
    free(account);
  }
#ifdef LARGE
  char* much = malloc(32 << 20);
  much[(32 << 20) - 1] = 1;
  arena[0] = much[(32 << 20) - 1];
#endif
  struct account* account = open_account(4);
  account = realloc(account, 4 * sizeof *account);
  pthread_mutex_init(&account->mutex, NULL);
  char* copy = malloc(strlen(account->name) + 1);
  strcpy(copy, account->name);
  assert(strcmp(copy, "account number 4") == 0);
  pthread_t a, b;
  pthread_create(&a, NULL, deposit, account);
  pthread_create(&b, NULL, look, account);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(atomic_load(&account->balance) == 105);
  assert(account->plain == 1);
  free(copy);
  free(account);
#ifdef LARGE
  assert(arena[0] == 1 && arena[sizeof arena - 1] == 1);
  free(much);
#endif
  return 0;
}
