/* SPDX-License-Identifier: MIT
 *
 * Threads that wait for each kind of lock in a process that may make few system calls: what threads
 * and this program need, futex, and those whose numbers it is given. Any other ends it.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t semaphore;
static bool is_notified;

static int confine(int count, char** numbers) {
  static const long needed[] = {
      SYS_futex,         SYS_write, SYS_exit,      SYS_exit_group,   SYS_clone,
      SYS_clone3,        SYS_mmap,  SYS_munmap,    SYS_mprotect,     SYS_madvise,
      SYS_brk,           SYS_rseq,  SYS_getrandom, SYS_rt_sigaction, SYS_set_robust_list,
      SYS_rt_sigprocmask};
  enum { NEEDED = sizeof needed / sizeof needed[0], MOST = 40 };
  struct sock_filter filter[2 + 2 * MOST];
  unsigned length = 0;
  filter[length++] =
      (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
  for (int n = 0; n != NEEDED + count && n != MOST; ++n) {
    const unsigned number = (unsigned)(n < NEEDED ? needed[n] : atol(numbers[n - NEEDED]));
    filter[length++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1);
    filter[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  }
  filter[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
  const struct sock_fprog program = {(unsigned short)length, filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0 ? errno : 0;
}

static atomic_int arrived;

static void* use_all(void* argument) {
  for (int n = 0; n != 20000; ++n) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    pthread_rwlock_wrlock(&lock);
    pthread_rwlock_unlock(&lock);
    sem_wait(&semaphore);
    sem_post(&semaphore);
  }
  pthread_mutex_lock(&mutex);
  ++arrived;
  while (!is_notified) pthread_cond_wait(&condition, &mutex);
  pthread_mutex_unlock(&mutex);
  return argument;
}

int main(int count, char** words) {
  if (sem_init(&semaphore, 0, 1) != 0 || confine(count - 1, words + 1) != 0) return 1;
  enum { THREADS = 4 };
  pthread_t threads[THREADS];
  for (int n = 0; n != THREADS; ++n) {
    if (pthread_create(&threads[n], NULL, use_all, NULL) != 0) return 1;
  }
  pthread_mutex_lock(&mutex);
  while (arrived != THREADS) {
    pthread_mutex_unlock(&mutex);
    pthread_mutex_lock(&mutex);
  }
  is_notified = true;
  pthread_cond_broadcast(&condition);
  pthread_mutex_unlock(&mutex);
  for (int n = 0; n != THREADS; ++n) pthread_join(threads[n], NULL);
  return write(STDOUT_FILENO, "over\n", 5) == 5 ? 0 : 1;
}
