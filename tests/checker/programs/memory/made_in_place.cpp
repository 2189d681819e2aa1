// SPDX-License-Identifier: MIT
// A function's result is written where it is to be before the function returns. gcc does not say
// when, and so that is refused; clang is tried then.
//
// case: while_another_reads_it
// flags: -DBEFORE
// options: --cc clang-14
// expect: all=data-race
//
// case: while_another_reads_it_by_gcc
// flags: -DBEFORE
// options: --cc gcc
// expect: all=inconclusive at=made says="write its result to memory that others may reach"
//
// case: after_another_has_read_it
// options: --cc clang-14
// expect: all=holds
#include <atomic>
#include <new>
#include <thread>

struct big {
  int first[10];
  int middle;
  int last[10];
};

static std::atomic<int> go;

__attribute__((noinline)) static big make() {
#ifdef BEFORE
  return big{{1}, (go.wait(0), 2), {3}};
#else
  go.wait(0);
  return big{{1}, 2, {3}};
#endif
}

int main() {
  big* const there = new big{};
  std::thread t([there] {
    volatile int seen = there->first[0];
    (void)seen;
    go.store(1);
    go.notify_one();
  });
  new (there) big(make());  // @made
  t.join();
  delete there;
}
