// SPDX-License-Identifier: MIT
// A thread frees a block and is given it again: an address that was seen before means something
// else now (ABA). Explored with --reuse; without it the certificate says that it is not.
//
// case: not_looked_for
// expect: all=holds
//
// case: the_address_comes_back
// options: --reuse
// expect: all=violated:assertion at=same
//
// case: two_come_back
// flags: -DTWO
// options: --reuse=2
// expect: all=violated:assertion at=same
//
// case: one_of_two_does_not
// flags: -DTWO
// options: --reuse
// expect: all=holds
//
// case: it_is_of_another_size
// flags: -DSIZE=100
// options: --reuse
// expect: all=holds
//
// case: a_counter_tells_them_apart
// flags: -DCOUNTED
// options: --reuse
// expect: all=holds
//
// case: who_uses_what_was_freed
// flags: -DSTALE
// options: --reuse
// expect: all=memory
//
// case: it_is_fresh_memory
// flags: -DFRESH
// options: --reuse
// expect: all=holds
#include <atomic>
#include <cassert>
#include <cstdlib>
#include <thread>

#ifndef SIZE
#define SIZE 24
#endif
#ifdef TWO
#define LAST 2
#else
#define LAST 1
#endif

static std::atomic<int*> current;
static std::atomic<int> rounds;

static int* make(std::size_t size) {
  auto* const p = static_cast<int*>(std::malloc(size));
  *p = 7;
  return p;
}

int main() {
  int* const first = make(24);
#ifdef FRESH
  std::atomic_ref<int>(*first).store(3);
#elif defined(TWO)
  int* const second = make(24);
#endif
  current.store(first);
  std::thread other([first] {
#if defined(FRESH)
    if (rounds.load() == 0) return;
    int* const p = current.load();
    assert(*p == 7);
#elif defined(STALE)
    if (rounds.load() == 1) *first = 1;
#else
    if (rounds.load() != LAST) return;
#ifdef COUNTED
    assert(current.load() != first || rounds.load() != 0);
#else
    assert(current.load() != first);  // @same
#endif
#endif
  });
  current.store(nullptr);
  std::free(first);
#ifdef TWO
  std::free(second);
  make(SIZE);  // is given the last that was freed
#endif
  current.store(make(SIZE));
  rounds.store(LAST);
  other.join();
}
