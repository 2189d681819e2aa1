// SPDX-License-Identifier: MIT
// Heap memory that nobody has written is read. That is an error where what is found there matters:
// where the program would have done something else with something else in it.
//
// case: a_branch
// flags: -DWAY=branch
// expect: all=violated:memory at=branch says="reads 4 bytes that nobody has written of the block"
//
// case: an_assertion
// flags: -DWAY=assertion
// expect: all=violated:memory at=assertion
//
// case: an_atomic_load
// flags: -DWAY=atomic_load
// expect: all=violated:memory at=atomic_load
//
// case: an_atomic_counter
// flags: -DWAY=counter
// expect: all=violated:memory at=counter
//
// case: a_compare_exchange
// flags: -DWAY=exchange
// expect: all=violated:memory at=exchange
//
// case: a_copy_of_it
// flags: -DWAY=copy
// expect: all=violated:memory at=copy
//
// case: it_is_printed
// flags: -DWAY=print
// expect: all=violated:memory at=print
//
// case: it_is_written_out
// flags: -DWAY=write_out
// expect: all=violated:memory at=write_out
//
// case: it_is_told_to_another_thread
// flags: -DWAY=publish
// expect: all=violated:memory at=publish
//
// case: one_of_two_reads
// flags: -DWAY=one_of_two
// expect: all=violated:memory at=one_of_two
//
// case: one_execution_of_two
// flags: -DWAY=late
// expect: all=violated:memory at=late
//
// case: what_realloc_has_added
// flags: -DWAY=grown
// expect: all=violated:memory at=grown
//
// case: given_again
// flags: -DWAY=given_again
// options: --reuse
// expect: all=violated:memory at=given_again
//
// case: a_branch_with_clang
// flags: -DWAY=branch
// options: --cc clang-14
// expect: all=violated:memory at=branch
//
// case: an_atomic_load_with_clang
// flags: -DWAY=atomic_load
// options: --cc clang-14
// expect: all=violated:memory at=atomic_load
//
// case: a_large_number
// flags: -DWAY=large
// expect: all=violated:memory at=large
//
// case: a_large_floating_point_number
// flags: -DWAY=large_fraction
// expect: all=violated:memory at=fraction
//
// case: with_two_jobs
// flags: -DWAY=late
// options: --jobs 2
// expect: all=violated:memory at=late
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <atomic>
#include <cassert>

struct block {
  int first;
  int second;
};

static std::atomic<int> seen;
static std::atomic<block*> published;

[[maybe_unused]] static block* make() {
  auto* const b = static_cast<block*>(malloc(sizeof(block)));
  b->first = 1;
  return b;
}

[[maybe_unused]] static void branch() {
  if (make()->second != 0) seen = 1;  // @branch
}

[[maybe_unused]] static void large() {
  if (make()->second > 5) seen = 1;  // @large
}

[[maybe_unused]] static void large_fraction() {
  const auto* const numbers = static_cast<double*>(malloc(sizeof(double)));
  if (*numbers > 0.5) seen = 1;  // @fraction
}

[[maybe_unused]] static void assertion() {
  assert(make()->second != 0);  // @assertion
}

[[maybe_unused]] static void atomic_load() {
  block* const b = make();
  const int value = __atomic_load_n(&b->second, __ATOMIC_RELAXED);  // @atomic_load
  if (value == 1) seen = 1;
}

[[maybe_unused]] static void counter() {
  block* const b = make();
  __atomic_fetch_add(&b->second, 1, __ATOMIC_RELAXED);  // @counter
}

[[maybe_unused]] static void exchange() {
  block* const b = make();
  int expected = 0;
  __atomic_compare_exchange_n(&b->second, &expected, 1, false,  // @exchange
                              __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

[[maybe_unused]] static void copy() {
  block* const to = make();
  memcpy(to, make(), sizeof(block));  // @copy
  if (to->second > 0) seen = 1;
}

[[maybe_unused]] static void print() {
  printf("%d\n", make()->second);  // @print
}

[[maybe_unused]] static void write_out() {
  if (write(1, make(), sizeof(block)) < 0) abort();  // @write_out
}

[[maybe_unused]] static void publish() {
  seen = make()->second;  // @publish
}

[[maybe_unused]] static void one_of_two() {
  block* const to = make();
  *to = *make();
  to->second = 0;
  if (make()->second == 0) seen = 1;  // @one_of_two
}

// The other thread writes it, but may come too late.
static void* fill(void* p) {
  auto* const b = static_cast<block*>(p);
  b->second = 0;
  published.store(b, std::memory_order_release);
  return nullptr;
}

[[maybe_unused]] static void late() {
  block* const b = make();
  pthread_t other;
  pthread_create(&other, nullptr, fill, make());
  if (block* const p = published.load(std::memory_order_acquire)) {
    if (p->second != 0) seen = 1;
  } else if (b->second != 0) {  // @late
    seen = 2;
  }
  pthread_join(other, nullptr);
}

[[maybe_unused]] static void grown() {
  auto* const b = static_cast<block*>(realloc(make(), 2 * sizeof(block)));
  if (b[1].first != 0) seen = 1;  // @grown
}

[[maybe_unused]] static void given_again() {
  block* const b = make();
  b->second = 0;
  free(b);
  if (make()->second != 0) seen = 1;  // @given_again
}

int main() { WAY(); }
