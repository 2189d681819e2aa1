// SPDX-License-Identifier: MIT
// A futex operation that is not modelled is named, not skipped.
//
// case: requeue
// expect: all=refused|inconclusive at=call says="futex|requeue|REQUEUE"
#include <linux/futex.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int word, other;

int main(void) {
  syscall(SYS_futex, &word, FUTEX_CMP_REQUEUE_PRIVATE, 1, 1, &other, 0);  // @call
  return 0;
}
