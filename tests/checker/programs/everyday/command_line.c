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
// case: left_in_the_middle_of_a_word
// flags: -DOWN -DLEFT
// expect: all=holds executions=6
//
// case: the_second_argument_first
// flags: -DOWN -DFROM=2
// expect: all=inconclusive at=call says="begins with argument 2"
//
// case: in_a_thread
// flags: -DTHREAD
// expect: all=inconclusive at=call says="after the first thread"
//
// case: behind_the_threads
// flags: -DLATE
// expect: all=inconclusive at=call says="after the first thread"
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

static int read_words(int count, char** from) {
  int quiet;
  const struct option long_words[] = {{"size", required_argument, NULL, 's'},
                                      {"quiet", no_argument, &quiet, 1},
                                      {NULL, 0, NULL, 0}};
  int sum = 0;
  int option;
  int which;
  while ((option = getopt_long(count, from, "vwn:", long_words, &which)) != -1) {  // @call
    if (option == 0) sum += 100 * quiet + 1000 * which;
    if (option == 'v') sum += 1;
    if (option == 'w') sum += 20;
    if (option == 'n' || option == 's') sum += atoi(optarg);
    if (option == '?') sum += 10000;
  }
  return sum;
}

static void* run(void* unused) {
#ifdef THREAD
  (void)read_words(0, NULL);
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
  char* words[] = {"program", "-v", "first", "-n3", "--size=7", "--quiet", "-?", "second", NULL};
  assert(read_words(8, words) == 11111);
  assert(optind == 6 && strcmp(words[6], "first") == 0 && strcmp(words[7], "second") == 0);
#else
  assert(read_words(count, arguments) == 0 && optind == 1);
  assert(getopt(count, arguments, "t:") == -1 && optind == 1);
#endif
#ifdef LEFT
  char* together[] = {"program", "-vw", NULL};
  optind = 0;
  assert(getopt(2, together, "vw") == 'v');
#endif
  pthread_t a;
  pthread_t b;
  pthread_create(&a, NULL, run, NULL);
  pthread_create(&b, NULL, run, NULL);
#ifdef RACES
  optind = 2;
#endif
  (void)atomic_load(&x);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
#ifdef LATE
  (void)read_words(count, arguments);
#endif
}
