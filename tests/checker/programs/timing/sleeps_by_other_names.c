// SPDX-License-Identifier: MIT
// To wait for one of no files, with a time limit, is to sleep.
//
// case: poll
// flags: -DSLEEP="poll(NULL,0,1)"
// expect: all=holds executions=1
//
// case: select
// flags: -DSLEEP="select(0,NULL,NULL,NULL,&short_time)"
// expect: all=holds executions=2
//
// case: pselect
// flags: -DSLEEP="pselect(0,NULL,NULL,NULL,&shorter_time,NULL)"
// expect: all=holds executions=1
//
// case: of_a_file
// flags: -DSLEEP="poll(&file,1,1)"
// expect: all=inconclusive at=sleep says="'poll\(\)' waits for files"
//
// case: without_a_limit
// flags: -DSLEEP="poll(NULL,0,-1)"
// expect: all=inconclusive at=sleep says="'poll\(\)' waits for a signal"
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/select.h>
#include <time.h>

static atomic_int ready;
struct pollfd file = {0, POLLIN, 0};
struct timeval short_time = {0, 1000};
struct timespec shorter_time = {0, 1000};

static void* tell(void* unused) {
  atomic_store(&ready, 1);
  return unused;
}

int main(void) {
  pthread_t other;
  pthread_create(&other, NULL, tell, NULL);
  while (atomic_load(&ready) == 0) {
    SLEEP;  // @sleep
  }
  pthread_join(other, NULL);
  return 0;
}
