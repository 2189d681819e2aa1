// SPDX-License-Identifier: MIT
// Does what a checked program has no business to do; the argument says what, a second one where.
#include <fcntl.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "reach.h"

int main(int argc, char** argv) {
  system_call* call = reach_system_calls();
  switch (argv[1][0]) {
    case 'r':
      return call(SYS_openat, AT_FDCWD, argv[2], O_RDONLY) < 0;
    case 'w':
      return call(SYS_openat, AT_FDCWD, argv[2], O_WRONLY | O_CREAT, 0600) < 0;
    case 's':
      return call(SYS_socket, AF_INET, SOCK_STREAM, 0) < 0;
    case 'c':
      return call(SYS_connect, 0, NULL, 0) < 0;
    case 'f':
      for (int i = 0; i < 1000000; ++i) call(SYS_clone, 17, 0, 0, 0, 0);
      return 0;
    case 'x':
      return call(SYS_execve, "/bin/sh", NULL, NULL) < 0;
    case 'k':
      return call(SYS_kill, call(SYS_getppid), 0) < 0;
    case 'j':
      return call(SYS_mmap, NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) <
             0;
    case 'd':
      return call(SYS_chdir, "/") < 0;
    case 'l':
      return call(SYS_prlimit64, 0, 7, argv, NULL) < 0;
    case 'o':
      return call(SYS_fcntl, 2, F_SETOWN, 1) < 0;
    case 'a':
      return call(SYS_fcntl, 2, F_SETFL, O_RDWR | O_ASYNC) < 0;
    case 'n':
      return call(SYS_memfd_create, "made", 0) < 0;
    case 'h':
      return call(SYS_madvise, argv, 4096, 100) < 0;
    case 't':
      return call(SYS_clock_gettime, (~1 << 3) | 2, argv) < 0;  // the processor time of init
    case 'p': {
      // A page in each 2 MiB, looked at by the kernel: a table of pages for each.
      const long size = 1L << 37, step = 1L << 21;
      char* memory = (char*)call(SYS_mmap, NULL, size, PROT_READ,
                                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      call(SYS_madvise, memory, size, MADV_NOHUGEPAGE);
      for (long at = 0; at < size; at += step) call(SYS_rt_sigprocmask, 0, memory + at, NULL, 8);
      for (volatile int forever = 1; forever != 0;) {
      }
      return 0;
    }
    case 'm': {
      const long size = 1L << 30;
      char* memory = (char*)call(SYS_mmap, NULL, size, PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
      for (volatile int forever = 1; forever != 0;) *(volatile char*)memory = 1;
      return 0;
    }
    default:
      return argc < 0;
  }
}
