// SPDX-License-Identifier: MIT
// An access past the end of a heap block by the later member of an element: further than a few
// bytes, where the next block is near.
//
// case: the_fifth_of_four
// expect: all=violated:memory at=put
//
// case: atomic
// flags: -DATOMIC
// expect: all=violated:memory at=put
//
// case: in_some_executions
// flags: -DIN_SOME
// expect: all=violated:memory at=put
//
// case: before_the_first
// flags: -DBEFORE
// expect: all=violated:memory at=put
//
// case: within
// flags: -DSLOTS=5
// expect: all=holds
#include <atomic>
#include <thread>
#include <vector>

#ifndef SLOTS
#define SLOTS 4
#endif

#ifdef ATOMIC
using number = std::atomic<long>;
#else
using number = long;
#endif

struct slot {
  long key, sequence, owner, size;
  number value;
  long next;
};

int main() {
  std::vector<slot> ring(SLOTS);
  std::vector<slot> other(SLOTS);  // lies behind it
  std::atomic<unsigned> tail{0};
#ifdef BEFORE
  const unsigned first = 0U - 3;
#else
  const unsigned first = 0;
#endif
  const auto put = [&] {
#ifdef IN_SOME
    if (tail.load() >= SLOTS) return;
#endif
    ring.data()[static_cast<int>(first + tail.fetch_add(1))].value = 7;  // @put
  };
  std::thread t([&] {
    put();
    put();
    put();
  });
  put();
  put();
  t.join();
}
