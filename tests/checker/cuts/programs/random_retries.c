/* SPDX-License-Identifier: MIT */
/* Programs for test_retries.py: what each thread does, threads separated by slashes. Capital
   letters are the loops of a file that LOOPS names, which change `word` by compare-exchange. */
#include <sched.h>
#include <stdatomic.h>

#include "spelled_programs.h"

static atomic_int word = 2;
static atomic_int other;

#define PAUSE __asm__ volatile("")
#include LOOPS

static unsigned long run(int t, const char* at) {
  unsigned long found = 1;
  for (; !is_end(*at); ++at) {
    if (*at >= '0' && *at <= '9') {
      atomic_store_explicit(&word, *at - '0', memory_order_release);
    } else if (*at == '+') {
      atomic_fetch_add_explicit(&word, 2, memory_order_acq_rel);
    } else if (*at == 'o') {
      atomic_store_explicit(&other, 1, memory_order_release);
    } else if (*at >= 'A' && *at <= 'Z') {
      found_out(&found, (unsigned long)random_loops[*at - 'A']());
    } else {
      access_memory(t, *at, &found);
    }
  }
  return found;
}

int main(int count, char** arguments) { run_all(count > 1 ? arguments[1] : ""); }
