/* SPDX-License-Identifier: MIT
 *
 * Whose a lock is that was locked by a thread which has ended, or by another process in memory that
 * both share. Prints what each function says.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct timespec past = {1, 0};
static pthread_mutex_t mutex;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void init(pthread_mutex_t* own, int type) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, type);
  pthread_mutex_init(own, &attributes);
}

static void try_mutex(pthread_mutex_t* own) {
  printf("%d ", pthread_mutex_trylock(own));
  printf("%d ", pthread_mutex_timedlock(own, &past));
}

static void try_lock(pthread_rwlock_t* own) {
  printf("%d ", pthread_rwlock_tryrdlock(own));
  printf("%d ", pthread_rwlock_timedrdlock(own, &past));
  printf("%d\n", pthread_rwlock_timedwrlock(own, &past));
}

static void* lock_and_end(void* write) {
  if (write != NULL) {
    pthread_rwlock_wrlock(&lock);
  } else {
    pthread_mutex_lock(&mutex);
  }
  return NULL;
}

static void* come_after(void* write) {
  if (write != NULL) {
    try_lock(&lock);
  } else {
    try_mutex(&mutex);
    printf("%d\n", pthread_mutex_unlock(&mutex));
  }
  return NULL;
}

/* The second thread has the stack of the first, and all that was in it. */
static void one_after_another(void* write) {
  void* (*const functions[])(void*) = {lock_and_end, come_after};
  for (int n = 0; n != 2; ++n) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, functions[n], write) == 0) pthread_join(thread, NULL);
  }
}

static void in_child(pthread_mutex_t* own, pthread_rwlock_t* its) {
  fflush(stdout);
  if (fork() == 0) {
    if (own != NULL) {
      try_mutex(own);
      puts("");
    } else {
      try_lock(its);
    }
    fflush(stdout);
    _exit(0);
  }
  wait(NULL);
}

int main(int count, char** words) {
  const char* const what = count == 2 ? words[1] : "";
  alarm(300);
  const int type =
      strstr(what, "recursive") != NULL ? PTHREAD_MUTEX_RECURSIVE : PTHREAD_MUTEX_ERRORCHECK;
  if (strncmp(what, "dead_", 5) == 0) {
    init(&mutex, type);
    one_after_another(strcmp(what, "dead_writer") == 0 ? &lock : NULL);
    return 0;
  }
  if (strcmp(what, "writer_forks") == 0) {
    pthread_rwlock_wrlock(&lock);
    if (fork() == 0) {
      printf("%d ", pthread_rwlock_unlock(&lock));
      printf("%d\n", pthread_rwlock_trywrlock(&lock));
      fflush(stdout);
      _exit(0);
    }
    wait(NULL);
    return 0;
  }
  void* const memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (strcmp(what, "shared_writer") == 0) {
    pthread_rwlock_init(memory, NULL);
    pthread_rwlock_wrlock(memory);
    in_child(NULL, memory);
  } else {
    init(memory, type);
    pthread_mutex_lock(memory);
    in_child(memory, NULL);
    printf("%d\n", pthread_mutex_unlock(memory));
  }
  return 0;
}
