// SPDX-License-Identifier: MIT
// Programs that read how they are started, which is without any arguments, or other words.
//
// case: without_arguments
// expect: all=holds executions=6
//
// case: words_of_its_own
// flags: -DOWN
// expect: all=holds executions=6
//
// case: after_the_threads_too
// flags: -DOWN -DLATE
// expect: all=holds executions=6
//
// case: the_second_argument_first
// flags: -DOWN -DFROM=2
// expect: all=inconclusive at=call says="begins with argument 2"
//
// case: in_a_thread
// flags: -DTHREAD
// expect: all=inconclusive at=call says="getopt while there are several threads"
//
// case: where_it_has_come_to_races
// flags: -DRACES
// expect: all=violated:data-race
#define _GNU_SOURCE
#include <assert.h>
#include <getopt.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static atomic_int x;
static int threads = 1;
static char* words[] = {"program", "-v", "first", "-n3", "--size=7", "second", NULL};
static const struct option long_words[] = {{"size", required_argument, NULL, 's'},
                                           {"verbose", no_argument, NULL, 'v'},
                                           {NULL, 0, NULL, 0}};

static int read_words(int count, char** from) {
  int sum = 0;
  int option;
  while ((option = getopt_long(count, from, "vn:", long_words, NULL)) != -1) {  // @call
    sum += option == 'v' ? 1 : atoi(optarg);
  }
  return sum;
}

static void* run(void* unused) {
#ifdef THREAD
  (void)read_words(6, words);
#endif
#ifdef RACES
  optind = 3;
#endif
  atomic_store(&x, 1);
  return unused;
}

int main(int count, char** arguments) {
#ifdef FROM
  optind = FROM;
#endif
#ifdef OWN
  assert(read_words(6, words) == 11);
  assert(optind == 4 && strcmp(words[4], "first") == 0 && strcmp(words[5], "second") == 0);
#else
  assert(read_words(count, arguments) == 0 && optind == 1);
  assert(getopt(count, arguments, "t:") == -1 && optind == 1);
#endif
  pthread_t a;
  pthread_t b;
  for (int i = 0; i < threads; ++i) pthread_create(&a, NULL, run, NULL);
  pthread_create(&b, NULL, run, NULL);
#ifdef RACES
  (void)optind;
  optind = 2;
#endif
  (void)atomic_load(&x);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
#ifdef LATE
  optind = 1;
  assert(getopt(6, words, "vn:s:") == 'v');
#endif
}
