// SPDX-License-Identifier: MIT
// A system call that is not a futex is named, not made.
//
// case: getppid
// expect: all=refused|inconclusive at=call says="system call"
#include <sys/syscall.h>
#include <unistd.h>

int main(void) {
  syscall(SYS_getppid);  // @call
  return 0;
}
