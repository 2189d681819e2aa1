// SPDX-License-Identifier: MIT
//
// confined MODE [PROGRAM [ARGUMENT]...]: takes a lock, confines itself as programs do that trust
// their own work with little, and then takes thousands, as a child of it does; or becomes the
// program. Its exit
// status is the child's, and 100 more than a signal's number where that ended the child.
#define _GNU_SOURCE
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define POPULATE_WRITE 23

static pthread_mutex_t locks[5000];

static int use(int count) {
  for (int n = 0; n < count; ++n) {
    if (pthread_mutex_lock(&locks[n]) != 0 || pthread_mutex_unlock(&locks[n]) != 0) return 1;
  }
  return 0;
}

static void must(int result, const char* what) {
  if (result == 0) return;
  perror(what);
  exit(77);
}

static void limit(int of, rlim_t value) {
  const struct rlimit both = {value, value};
  must(setrlimit(of, &both), "setrlimit");
}

static rlim_t address_space(void) {
  unsigned long pages = 0;
  FILE* const file = fopen("/proc/self/statm", "r");
  must(file == NULL || fscanf(file, "%lu", &pages) != 1, "statm");
  fclose(file);
  return pages * 4096;
}

// A kernel before Linux 5.14.
static void forget_populate_write(void) {
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_madvise, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, POPULATE_WRITE, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const struct sock_fprog filter = {sizeof code / sizeof *code, code};
  must(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs");
  must(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter), "seccomp");
}

#define ALLOWED(number) \
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (number), 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

// Whatever a program that only locks and forks does not do itself ends it.
static void be_killed(int by_number) {
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      ALLOWED(SYS_futex),
      ALLOWED(SYS_clone),
      ALLOWED(SYS_set_robust_list),
      ALLOWED(SYS_wait4),
      ALLOWED(SYS_exit),
      ALLOWED(SYS_exit_group),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
  };
  const struct sock_fprog filter = {sizeof code / sizeof *code, code};
  must(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs");
  if (by_number) {
    // An attempt that fails leaves all as it was.
    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, NULL) == 0) exit(78);
    must((int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter), "seccomp");
  } else {
    must(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter), "seccomp");
  }
}

static void confine(const char* mode) {
  if (strcmp(mode, "file_size") == 0) return limit(RLIMIT_FSIZE, 0);
  if (strcmp(mode, "descriptors") == 0) return limit(RLIMIT_NOFILE, 0);
  if (strcmp(mode, "memory") == 0) return limit(RLIMIT_AS, address_space() + (16 << 20));
  if (strcmp(mode, "root") == 0) return must(chroot("/proc/self/fdinfo"), "chroot");
  if (strcmp(mode, "patience") == 0)
    return must(puts("ready") < 0 || fflush(stdout) != 0 || getchar() < 0, "getchar");
  if (strcmp(mode, "old_kernel") == 0) return forget_populate_write();
  if (strcmp(mode, "calls") == 0) return be_killed(0);
  if (strcmp(mode, "calls_by_number") == 0) return be_killed(1);
  fprintf(stderr, "confined: no such mode: %s\n", mode);
  exit(78);
}

int main(int count, char** words) {
  if (count < 2 || use(1) != 0) return 78;
  confine(words[1]);
  if (count > 2) {
    execv(words[2], words + 2);
    must(1, words[2]);
  }
  if (use(5000) != 0) return 78;
  const pid_t child = fork();
  if (child == 0) _exit(use(5000));
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) return 78;
  return WIFSIGNALED(status) ? 100 + WTERMSIG(status) : WEXITSTATUS(status);
}
