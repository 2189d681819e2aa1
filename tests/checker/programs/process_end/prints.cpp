// SPDX-License-Identifier: MIT
// A test that says what failed: what it printed in the execution that is told, and in no other.
// tests/checker/search/test_own_output.py looks at that.
//
// case: exit_status
// expect: c++20=exit-status x86=holds sc=holds
// case: assertion
// flags: -DASSERTS
// expect: c++20=assertion x86=holds sc=holds
// case: uncaught
// flags: -DTHROWS
// expect: c++20=uncaught x86=holds sc=holds
// case: much
// flags: -DMUCH
// expect: c++20=exit-status x86=holds sc=holds
#include <unistd.h>

#include <atomic>
#include <cassert>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <stdexcept>
#include <thread>

static std::atomic<int> data, ready;

int main() {
  std::thread writer([] {
    data.store(1, std::memory_order_relaxed);
    ready.store(1, std::memory_order_relaxed);
  });
  const int there = ready.load(std::memory_order_relaxed);
  const int seen = data.load(std::memory_order_relaxed);
  writer.join();
  std::cout << "ready " << there << ", data " << seen << "\n";
  std::printf("by printf \"%d\" \\\n", seen);
  std::fprintf(stderr, "not UTF-8: \xe9, UTF-8: \xc3\xa9\n");
  std::cerr << "escape \033[31m" << std::endl;
  std::puts("by puts");
  std::fputs("by fputs\n", stdout);
  std::fwrite("by fwrite\n", 1, 10, stderr);
  (void)!write(2, "by\0write\n", 9);
  std::putchar('c');
  std::putchar('\n');
  dprintf(1, "by dprintf\n");
#ifdef MUCH
  for (int i = 0; i < (MUCH > 1 ? MUCH : 3000); ++i) std::printf("line %d\n", i);
#endif
  if (there != 0 && seen == 0) {
#if defined(ASSERTS)
    assert(std::strcmp("\xc3\xa9", "\xe9") == 0);
#elif defined(THROWS)
    throw std::runtime_error("lost \xe9\033[1m");
#endif
    std::printf("the data is lost\n");
    return 1;
  }
}
