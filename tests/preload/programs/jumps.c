/* SPDX-License-Identifier: MIT
 *
 * Threads that leave a wait, or an initialiser, by a jump: siglongjmp() in a signal handler, once
 * the thread sleeps, or longjmp(). Then they end, are cancelled, or go on.
 */
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_once_t control = PTHREAD_ONCE_INIT;
static sem_t semaphore;

static sigjmp_buf out;
static pthread_t sleeper;
static atomic_int waits; /* number of the thread that is about to wait */
static atomic_bool is_out;

static void jump(int signal) {
  (void)signal;
  siglongjmp(out, 1);
}

static bool sleeps(int thread) {
  char path[64];
  char line[256] = "";
  snprintf(path, sizeof path, "/proc/self/task/%d/stat", thread);
  FILE* const file = fopen(path, "r");
  if (file == NULL) return false;
  const char* const end = fgets(line, sizeof line, file) != NULL ? strrchr(line, ')') : NULL;
  fclose(file);
  return end != NULL && end[2] == 'S';
}

static void* wake(void* argument) {
  while (waits == 0 || !sleeps(waits)) sched_yield();
  pthread_kill(sleeper, SIGUSR1);
  return argument;
}

/* The next sleep of this thread ends in `out`. */
static void leave_next_sleep(void) {
  signal(SIGUSR1, jump);
  sleeper = pthread_self();
  pthread_t thread;
  if (pthread_create(&thread, NULL, wake, NULL) != 0) _exit(1);
  pthread_detach(thread);
  waits = (int)syscall(SYS_gettid);
}

/* Where a frame was that is there no more. */
__attribute__((noinline)) static void overwrite_stack(void) {
  char room[4096];
  memset(room, 0x41, sizeof room);
  __asm__ volatile("" : : "r"(room) : "memory");
}

static void wait_for_semaphore(void) {
  if (sigsetjmp(out, 1) == 0) {
    leave_next_sleep();
    sem_wait(&semaphore);
    puts("woken");
  }
  overwrite_stack();
}

static void wait_for_condition(void) {
  pthread_mutex_lock(&mutex);
  if (sigsetjmp(out, 1) == 0) {
    leave_next_sleep();
    pthread_cond_wait(&condition, &mutex);
    puts("woken");
  }
  overwrite_stack();
}

static void (*leave)(void);
static int initialised;

static void call_once_(void);

static void initialise(void) {
  if (initialised++ == 0 && leave == call_once_) siglongjmp(out, 1);
}

static void call_once_(void) {
  if (sigsetjmp(out, 1) == 0) pthread_once(&control, initialise);
  overwrite_stack();
}

static void* end(void* argument) {
  leave();
  pthread_exit(argument);
}

static void* be_cancelled(void* argument) {
  leave();
  is_out = true;
  for (;;) pause();
  return argument;
}

int main(int count, char** words) {
  if (count != 3) return 2;
  alarm(300);
  const bool of_semaphore = strcmp(words[1], "semaphore") == 0;
  leave = of_semaphore                         ? wait_for_semaphore
          : strcmp(words[1], "condition") == 0 ? wait_for_condition
                                               : call_once_;
  pthread_t thread;
  void* result = NULL;
  if (strcmp(words[2], "ends") == 0) {
    pthread_create(&thread, NULL, end, &mutex);
    pthread_join(thread, &result);
    printf("%d\n", result == &mutex);
  } else if (strcmp(words[2], "is_cancelled") == 0) {
    pthread_create(&thread, NULL, be_cancelled, NULL);
    while (!is_out) sched_yield();
    pthread_cancel(thread);
    pthread_join(thread, &result);
    printf("%d\n", result == PTHREAD_CANCELED);
  } else {
    leave();
    printf("%d ", pthread_mutex_trylock(&mutex));
    printf("%d ", pthread_mutex_unlock(&mutex));
    printf("%d ", pthread_cond_destroy(&condition));
    printf("%d ", sem_post(&semaphore));
    printf("%d ", sem_wait(&semaphore));
    printf("%d ", pthread_once(&control, initialise));
    printf("%d\n", initialised);
  }
  return 0;
}
