// SPDX-License-Identifier: MIT
// Where thrd_create and thrd_join write what they find out, others may look or write meanwhile.
//
// case: the_number_is_read_by_another_thread
// flags: -DLOOKS
// expect: all=violated:data-race at=look
//
// case: the_number_is_written_to_freed_memory
// flags: -DFREED_NUMBER
// expect: all=violated:memory at=create
//
// case: the_result_is_written_to_freed_memory
// flags: -DFREED_RESULT
// expect: all=violated:memory at=join
//
// case: the_result_is_written_by_another_thread
// flags: -DWRITES_RESULT
// expect: all=violated:data-race
//
// case: everybody_is_alone
// expect: all=holds
#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <threads.h>

static thrd_t number;
static int result;

static int work(void* unused) {
  (void)unused;
#ifdef LOOKS
  return number == 0;  // @look
#elif defined(WRITES_RESULT)
  result = 2;
  return 2;
#else
  return 3;
#endif
}

int main(void) {
#ifdef FREED_NUMBER
  thrd_t* const freed = malloc(sizeof *freed);
  free(freed);
  thrd_create(freed, work, NULL);  // @create
#elif defined(FREED_RESULT)
  int* const freed = malloc(sizeof *freed);
  free(freed);
  thrd_create(&number, work, NULL);
  thrd_join(number, freed);  // @join
#elif defined(WRITES_RESULT)
  thrd_t other;
  thrd_create(&other, work, NULL);
  thrd_create(&number, work, NULL);
  thrd_join(other, &result);
  thrd_join(number, NULL);
#else
  thrd_t first;
  thrd_create(&first, work, NULL);
  thrd_create(&number, work, NULL);
  thrd_join(first, NULL);
  thrd_join(number, &result);
  assert(result == 3);
#endif
  return 0;
}
