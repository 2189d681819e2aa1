// SPDX-License-Identifier: MIT
// Clocks that there are not are errors, as for the kernel; the processor time of a thread is a
// clock that nobody sleeps by.
//
// case: each_is_told
// expect: all=holds
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

int main(void) {
  struct timespec time = {0, 1};
  const int not_one[] = {10, 12, 12345};
  for (unsigned i = 0; i < sizeof not_one / sizeof *not_one; ++i) {
    errno = 0;
    assert(clock_gettime(not_one[i], &time) == -1 && errno == EINVAL);
    errno = 0;
    assert(clock_getres(not_one[i], &time) == -1 && errno == EINVAL);
    assert(clock_nanosleep(not_one[i], 0, &time, NULL) == EINVAL);
  }
  assert(clock_nanosleep(CLOCK_THREAD_CPUTIME_ID, 0, &time, NULL) == EINVAL);
  assert(clock_nanosleep(CLOCK_MONOTONIC_RAW, 0, &time, NULL) == ENOTSUP);
  assert(clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL) == 0);
  assert(clock_gettime(CLOCK_BOOTTIME, &time) == 0);
  struct timespec resolution = {9, 9};
  assert(clock_getres(CLOCK_MONOTONIC, &resolution) == 0 && resolution.tv_sec == 0);
  assert(clock_getres(CLOCK_MONOTONIC, NULL) == 0);
}
