// SPDX-License-Identifier: MIT
// What calls of the C library answer where they cannot do what they are asked.
//
// case: a_file_that_is_not_open
// flags: '-DHOLDS=write(-1,"x",1)==-1&&errno==EBADF'
// expect: all=holds executions=1
//
// case: a_file_that_is_not_open_is_printed_to
// flags: '-DHOLDS=dprintf(-1,"%d",1)<0&&errno==EBADF'
// expect: all=holds executions=1
//
// case: it_is_said_to_be_written
// flags: '-DHOLDS=write(-1,"x",1)==1'
// expect: all=violated:assertion at=holds
//
// case: a_file_that_might_be_open
// flags: '-DHOLDS=write(77,"x",1)==1'
// expect: all=inconclusive at=holds says="neither stdout nor stderr"
//
// case: no_processor
// flags: '-DHOLDS=sched_setaffinity(0,sizeof(none),&none)==-1&&errno==EINVAL'
// expect: all=holds executions=1
//
// case: no_processor_of_a_thread
// flags: '-DHOLDS=pthread_setaffinity_np(pthread_self(),sizeof(none),&none)==EINVAL'
// expect: all=holds executions=1
//
// case: no_such_base
// flags: '-DHOLDS=strtol("7",&end,77)==0&&errno==EINVAL&&end==text'
// expect: all=holds executions=1
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static cpu_set_t none;
static char text[] = "text";

int main(void) {
  char* end = text;
  assert(HOLDS);  // @holds
  (void)end;
}
