// SPDX-License-Identifier: MIT
// Assembly outside functions: nothing tells what it does to memory.
//
// case: a_function_that_adds
// expect: all=inconclusive says="inline assembly is not modelled"
//
// case: a_function_that_only_stores
// flags: -DSTORES
// expect: all=inconclusive says="inline assembly is not modelled"
//
// case: a_function_that_adds_with_clang
// options: --cc clang-14
// expect: all=inconclusive says="inline assembly is not modelled"
//
// case: a_function_that_only_stores_with_clang
// flags: -DSTORES
// options: --cc clang-14
// expect: all=inconclusive says="inline assembly is not modelled"
//
// case: where_clang_is_to_write_no_comments
// flags: -fno-verbose-asm
// options: --cc clang-14
// expect: all=inconclusive says="inline assembly is not modelled"
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#ifdef STORES
#define CHANGE "movl $1, word(%rip)"
#else
#define CHANGE "incl word(%rip)"
#endif
__asm__(".text\n.globl change\nchange: " CHANGE "\nret\n");
int word;
void change(void);

static void* work(void* unused) {
  change();
  return unused;
}

int main(void) {
  pthread_t worker;
  pthread_create(&worker, NULL, work, NULL);
  change();
  pthread_join(worker, NULL);
  assert(word == 2);
  return 0;
}
