/* SPDX-License-Identifier: MIT
 *
 * Forks while another thread notifies a condition variable that processes share, whose children
 * notify it, too: in a handler that was registered by a library before those of the locks, if they
 * were not the first; and in one that was registered last.
 */
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern void notify_in_children(pthread_cond_t* own);

static pthread_cond_t* condition;

static void* notify(void* argument) {
  for (;;) pthread_cond_broadcast(condition);
  return argument;
}

static void notify_last(void) {
  alarm(300);
  pthread_cond_signal(condition);
}

int main(void) {
  condition = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_cond_init(condition, &attributes);
  notify_in_children(condition);
  pthread_atfork(NULL, NULL, notify_last);
  pthread_t thread;
  if (pthread_create(&thread, NULL, notify, NULL) != 0) return 1;
  for (int n = 0; n != 200; ++n) {
    const pid_t child = fork();
    if (child == 0) _exit(0);
    int status = 0;
    if (waitpid(child, &status, 0) != child || status != 0) return 1;
  }
  puts("all have ended");
  fflush(stdout);
  _exit(0);
}
