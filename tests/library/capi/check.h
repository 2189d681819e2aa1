/* SPDX-License-Identifier: MIT
 *
 * What the tests of the C library are written with: checks that end the program, threads, times. */
#pragma once

#include <errno.h>
#include <fencepost/fencepost.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

_Noreturn static inline void failed(const char* file, int line, const char* what) {
  fprintf(stderr, "%s:%d: %s\n", file, line, what);
  exit(1);
}

#define CHECK(condition) ((condition) ? (void)0 : failed(__FILE__, __LINE__, #condition))

static inline pthread_t start(void* (*body)(void*), void* argument) {
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, body, argument) == 0);
  return thread;
}

static inline void finish(pthread_t thread) { CHECK(pthread_join(thread, NULL) == 0); }

static const struct timespec no_time = {0, 1000000000};
static const struct timespec negative = {-5, 0};
static const struct timespec a_while = {0, 3000000};
static const struct timespec ages = {INT64_MAX, 999999999};

static inline int64_t nanoseconds(struct timespec time) {
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static inline struct timespec now(void) {
  struct timespec time;
  CHECK(clock_gettime(CLOCK_MONOTONIC, &time) == 0);
  return time;
}

static inline struct timespec soon(void) {
  struct timespec time = now();
  time.tv_nsec += 3000000;
  if (time.tv_nsec >= 1000000000) {
    time.tv_nsec -= 1000000000;
    ++time.tv_sec;
  }
  return time;
}
