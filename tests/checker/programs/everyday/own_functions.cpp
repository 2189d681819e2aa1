// SPDX-License-Identifier: MIT
// The program has functions of its own by names of the C library's: they are what it calls.
//
// case: own_ones
// expect: all=holds
//
// case: an_own_copy_races
// flags: -DRACE
// expect: all=data-race at=copy
//
// case: an_own_operator_new
// flags: -DNEW
// expect: all=holds
#include <atomic>
#include <cassert>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <string>
#include <thread>

static std::atomic<int> slept;
static std::atomic<int> blocks;

extern "C" {
unsigned sleep(unsigned seconds) {
  slept += static_cast<int>(seconds);
  return 0;
}
void* memcpy(void* __restrict to, const void* __restrict from, std::size_t n) {
  auto* const t = static_cast<volatile char*>(to);
  const auto* const f = static_cast<const volatile char*>(from);
  for (std::size_t i = 0; i < n; i++) t[i] = f[i];  // @copy
  slept += 10;
  return to;
}
}

#ifdef NEW
void* operator new(std::size_t size) {
  ++blocks;
  if (void* p = std::malloc(size)) return p;
  throw std::bad_alloc();
}
void operator delete(void* p) noexcept {
  --blocks;
  std::free(p);
}
void operator delete(void* p, std::size_t) noexcept { operator delete(p); }
#endif

static int one[4] = {1, 2, 3, 4};
static int two[4];

int main() {
  std::thread other([] {
    sleep(3);
#ifdef RACE
    two[1] = 5;  // @copy
#endif
  });
  memcpy(two, one, sizeof one);
#ifdef NEW
  auto* const number = new int(3);
  const int had = blocks;
  delete number;
  assert(had >= 1);
#endif
  other.join();
  assert(slept == 13);
}
