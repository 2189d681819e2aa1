// SPDX-License-Identifier: MIT
// RWC and W+RWC: the third thread's own store is still in its buffer when it reads.
//
// case: rwc_release_acquire
// flags: -DSTORE=release -DLOAD=acquire
// expect: c++20=violated:assertion x86=violated:assertion sc=holds executions=7 at=late
//
// case: rwc_seq_cst
// flags: -DSTORE=seq_cst -DLOAD=seq_cst
// expect: all=holds executions=7
//
// case: rwc_fences
// flags: -DSTORE=relaxed -DLOAD=relaxed -DFENCE
// expect: all=holds executions=7
//
// case: w_rwc_release_acquire
// flags: -DEXTRA_WRITE -DSTORE=release -DLOAD=acquire
// expect: c++20=violated:assertion x86=violated:assertion sc=holds executions=7 at=late
//
// case: w_rwc_fences
// flags: -DEXTRA_WRITE -DSTORE=release -DLOAD=acquire -DFENCE
// expect: all=holds executions=7
#include <atomic>
#include <cassert>
#include <thread>

#define ORDER_(name) std::memory_order_##name
#define ORDER(name) ORDER_(name)

std::atomic<int> x{0};
std::atomic<int> y{0};
std::atomic<int> z{0};

void fence() {
#ifdef FENCE
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
}

int main() {
  int saw_first = 0;
  int saw_y = 0;
  int saw_x = 0;
  std::thread writer([] {
    x.store(1, ORDER(STORE));
#ifdef EXTRA_WRITE
    z.store(1, ORDER(STORE));
#endif
  });
  std::thread reader([&] {
#ifdef EXTRA_WRITE
    saw_first = z.load(ORDER(LOAD));
#else
    saw_first = x.load(ORDER(LOAD));
#endif
    fence();
    saw_y = y.load(ORDER(LOAD));
  });
  std::thread both([&] {
    y.store(1, ORDER(STORE));
    fence();
    saw_x = x.load(ORDER(LOAD));
  });
  writer.join();
  reader.join();
  both.join();
  assert(!(saw_first == 1 && saw_y == 0 && saw_x == 0));  // @late
}
