// SPDX-License-Identifier: MIT
// memcpy and its kin between places that overlap: undefined, and what comes of it differs from
// library to library. A copy to the very place it comes from is let pass, for compilers make such
// calls of assignments.
//
// case: memcpy
// flags: -DCOPY=memcpy(bytes+1,bytes,4)
// expect: all=violated:memory says="overlap"
//
// case: memcpy_from_behind
// flags: -DCOPY=memcpy(bytes,bytes+3,4)
// expect: all=violated:memory says="overlap"
//
// case: mempcpy
// flags: -DCOPY=mempcpy(bytes+1,bytes,2)
// expect: all=violated:memory says="overlap"
//
// case: strcpy
// flags: -DCOPY=strcpy(bytes+2,bytes)
// expect: all=violated:memory says="overlap"
//
// case: strncpy
// flags: -DCOPY=strncpy(bytes+1,bytes,3)
// expect: all=violated:memory says="overlap"
//
// case: strcat
// flags: -DCOPY=strcat(bytes,bytes+1)
// expect: all=violated:memory says="overlap"
//
// case: wmemcpy
// flags: -DCOPY=wmemcpy(wide+1,wide,2)
// expect: all=violated:memory says="overlap"
//
// case: memmove
// flags: -DCOPY=memmove(bytes+1,bytes,4)
// expect: all=holds
//
// case: side_by_side
// flags: -DCOPY=memcpy(bytes,bytes+4,4)
// expect: all=holds
//
// The first byte that is written is the end of the string.
// case: strncpy_onto_the_end
// flags: -DCOPY=strncpy(bytes+6,bytes,8)
// expect: all=violated:memory says="overlap"
//
// case: strncpy_fills_up
// flags: -DCOPY=strncpy(bytes,bytes+4,8)
// expect: all=violated:memory says="overlap"
//
// case: strncpy_behind_the_end
// flags: -DCOPY=strncpy(bytes+7,bytes,8)
// expect: all=holds
//
// case: strncat_onto_the_end
// flags: -DCOPY=strncat(bytes,bytes+2,9)
// expect: all=violated:memory says="overlap"
//
// case: strncat_of_its_own_beginning
// flags: -DCOPY=strncat(bytes,bytes,3)
// expect: all=holds
//
// case: to_itself
// flags: -DCOPY=memcpy(bytes,bytes,8)
// expect: all=holds
//
// case: nothing
// flags: -DCOPY=memcpy(bytes+1,bytes,0)
// expect: all=holds
#define _GNU_SOURCE
#include <pthread.h>
#include <string.h>
#include <wchar.h>

static char bytes[16] = "abcdef";
static wchar_t wide[8] = L"abcdef";

static void* work(void* nothing) {
  COPY;
  wide[7] = 0;
  return nothing;
}

int main(void) {
  pthread_t worker;
  pthread_create(&worker, NULL, work, NULL);
  pthread_join(worker, NULL);
  return 0;
}
