// SPDX-License-Identifier: MIT
// A program whose locks do what they are told to: test_counts.py knows what has to be counted.
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t semaphore;
static int is_open;

static void sleep_ms(long milliseconds) {
  const struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
  nanosleep(&time, NULL);
}

static pthread_t start(void* (*function)(void*)) {
  pthread_t started;
  if (pthread_create(&started, NULL, function, NULL) != 0) abort();
  return started;
}

static void* wait_for_condition(void* unused) {
  pthread_mutex_lock(&mutex);
  while (!is_open) pthread_cond_wait(&condition, &mutex);
  pthread_mutex_unlock(&mutex);
  return unused;
}

static void* wait_for_semaphore(void* unused) {
  sem_wait(&semaphore);
  return unused;
}

/// One broadcast that three threads wait for, and two posts.
static void notify(void) {
  pthread_t waiters[3];
  for (int n = 0; n < 3; ++n) waiters[n] = start(wait_for_condition);
  sleep_ms(100);
  pthread_mutex_lock(&mutex);
  is_open = 1;
  pthread_mutex_unlock(&mutex);
  pthread_cond_broadcast(&condition);
  for (int n = 0; n < 3; ++n) pthread_join(waiters[n], NULL);
  sem_init(&semaphore, 0, 0);
  for (int n = 0; n < 2; ++n) {
    const pthread_t waiter = start(wait_for_semaphore);
    sleep_ms(100);
    sem_post(&semaphore);
    pthread_join(waiter, NULL);
  }
}

static void* take_once(void* unused) {
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  return unused;
}

/// Ten threads, one after another, take a mutex, which each but the first has from another.
static void hand_over(void) {
  for (int n = 0; n < 10; ++n) pthread_join(start(take_once), NULL);
}

int main(int argc, char** argv) {
  const char* const what = argc > 1 ? argv[1] : "";
  if (strcmp(what, "notify") == 0) {
    notify();
  } else if (strcmp(what, "hand_over") == 0) {
    hand_over();
  } else {
    return 1;
  }
  return 0;
}
