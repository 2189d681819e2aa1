// SPDX-License-Identifier: MIT
// Pointers to member functions are two words, which gcc's instrumentation passes over where they
// are looked at one by one: as they are compared, called through, or set to a constant.
//
// case: compared
// flags: -DCOMPARED
// expect: all=violated:data-race at=write says="handler"
//
// case: called_through
// flags: -DCALLED
// expect: all=violated:data-race at=write|call
//
// case: cleared
// flags: -DCLEARED
// expect: all=violated:data-race at=write says="handler"
//
// case: published_relaxed
// flags: -DPUBLISHED -DORDER=std::memory_order_relaxed
// expect: c++20=violated:data-race x86=violated:data-race sc=violated:data-race at=call
//
// case: published
// flags: -DPUBLISHED
// expect: all=holds executions=2
//
// case: in_freed_memory
// flags: -DFREED
// expect: all=violated:memory at=call says="freed"
//
// case: in_memory_that_lives
// flags: -DFREED -DLIVES
// expect: all=holds executions=1
#include <atomic>
#include <cassert>
#include <thread>

#ifndef ORDER
#define ORDER std::memory_order_release
#endif

struct counter {
  int n = 0;
  void once() { ++n; }
  void twice() { n += 2; }
};

struct callback {
  counter* who;
  void (counter::*what)();
};

void (counter::*handler)() = &counter::twice;
std::atomic<bool> ready{false};

int main() {
  counter c;
#if defined COMPARED
  std::thread other([] { handler = &counter::once; });  // @write
  const bool is_set = handler != nullptr;               // @write
  other.join();
  assert(is_set);
#elif defined CALLED
  std::thread other([] { handler = &counter::once; });  // @write
  (c.*handler)();                                       // @call @write
  other.join();
#elif defined CLEARED
  std::thread other([] { handler = nullptr; });  // @write
  handler = nullptr;                             // @write
  other.join();
#elif defined PUBLISHED
  std::thread other([] {
    handler = &counter::once;
    ready.store(true, ORDER);
  });
  if (ready.load(std::memory_order_acquire)) (c.*handler)();  // @call
  other.join();
#elif defined FREED
  auto* const made = new callback{&c, &counter::once};
  counter* const who = made->who;
  std::thread other([made] {
#ifndef LIVES
    delete made;
#else
    (void)made;
#endif
  });
  other.join();
  (who->*made->what)();  // @call
#ifdef LIVES
  delete made;
#endif
#endif
}
