/* SPDX-License-Identifier: MIT
 *
 * A library whose constructor waits for a thread that uses every kind of lock: dlopen() has the
 * dynamic linker's lock all the while.
 */
#include <pthread.h>
#include <semaphore.h>

static void* use_locks(void* argument) {
  pthread_mutex_t mutex;
  pthread_mutex_init(&mutex, NULL);
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  pthread_mutex_destroy(&mutex);
  pthread_cond_t condition;
  pthread_cond_init(&condition, NULL);
  pthread_cond_broadcast(&condition);
  pthread_cond_destroy(&condition);
  pthread_rwlock_t lock;
  pthread_rwlock_init(&lock, NULL);
  pthread_rwlock_rdlock(&lock);
  pthread_rwlock_unlock(&lock);
  pthread_rwlock_destroy(&lock);
  pthread_spinlock_t word;
  pthread_spin_init(&word, PTHREAD_PROCESS_SHARED);
  pthread_spin_lock(&word);
  pthread_spin_unlock(&word);
  sem_t semaphore;
  sem_init(&semaphore, 1, 0);
  sem_post(&semaphore);
  sem_wait(&semaphore);
  sem_destroy(&semaphore);
  return argument;
}

__attribute__((constructor)) static void wait_for_thread(void) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, use_locks, NULL) == 0) pthread_join(thread, NULL);
}
