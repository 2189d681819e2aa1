// SPDX-License-Identifier: MIT
// Where compare-exchange finds what it expects nobody else need know of. Where the address goes
// elsewhere as well, the end of the variable's scope counts, and so it does in anybody's header
// that is not the C++ library's.
//
// case: only_compared
// expect: all=holds
//
// case: told_to_others
// flags: -DTOLD
// expect: all=memory at=use
//
// case: told_to_others_unoptimised
// flags: -DTOLD -O0
// expect: all=memory at=use
//
// case: told_to_others_by_clang
// flags: -DTOLD
// options: --cc clang-14
// expect: all=memory at=use
//
// case: shared_with_a_thread
// flags: -DSHARED
// expect: all=violated:data-race at=write|read
//
// case: shared_with_a_thread_unoptimised
// flags: -DSHARED -O0
// expect: all=violated:data-race at=write|read
//
// case: in_a_header_of_another
// flags: -DHEADER -isystem tests/checker/programs/locals/system
// expect: all=memory at=use
//
// case: in_a_header_of_another_by_clang
// flags: -DHEADER -isystem tests/checker/programs/locals/system
// options: --cc clang-14
// expect: all=memory at=use
#include <atomic>
#include <cassert>
#include <thread>

#ifdef HEADER
#include <leaves_its_local.hpp>
#else
static std::atomic<int*> told{nullptr};
#endif

static std::atomic<int> count{0};

[[gnu::noinline]] static void add() {
#ifdef HEADER
  tell_of_a_local();
#endif
  int expected = count.load(std::memory_order_relaxed);
#ifdef TOLD
  told.store(&expected, std::memory_order_release);
#endif
  while (!count.compare_exchange_weak(expected, expected + 1)) {
  }
}

#ifdef SHARED
int main() {
  int expected = 0;
  count.compare_exchange_strong(expected, 2);
  std::thread other([&] { expected = 1; });  // @write
  const int seen = expected;                 // @read
  other.join();
  assert(seen < 2);
}
#else
int main() {
  std::thread other([] {
    if (const int* const found = told.load(std::memory_order_acquire)) {
      [[maybe_unused]] const volatile int seen = *found;  // @use
    }
#if !defined(TOLD) && !defined(HEADER)
    add();
#endif
  });
  add();
  other.join();
#if !defined(TOLD) && !defined(HEADER)
  assert(count.load() == 2);
#endif
}
#endif
