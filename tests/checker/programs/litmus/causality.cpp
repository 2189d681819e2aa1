// SPDX-License-Identifier: MIT
// WRC and ISA2: what one thread passes on to a second must reach the third.
//
// case: wrc_relaxed
// flags: -DSTORE=relaxed -DLOAD=relaxed
// expect: c++20=violated:assertion x86=holds sc=holds executions=7 at=forgotten
//
// case: wrc_release_acquire
// flags: -DSTORE=release -DLOAD=acquire
// expect: all=holds executions=7
//
// case: isa2_relaxed
// flags: -DISA2 -DSTORE=relaxed -DLOAD=relaxed
// expect: c++20=violated:assertion x86=holds sc=holds executions=7 at=forgotten
//
// case: isa2_release_acquire
// flags: -DISA2 -DSTORE=release -DLOAD=acquire
// expect: all=holds executions=7
#include <atomic>
#include <cassert>
#include <thread>

#define ORDER_(name) std::memory_order_##name
#define ORDER(name) ORDER_(name)

std::atomic<int> news{0};
std::atomic<int> told{0};
std::atomic<int> passed_on{0};

int main() {
  int heard = 0;
  int heard_again = 0;
  int checked = 0;
  std::thread source([] {
    news.store(1, std::memory_order_relaxed);
#ifdef ISA2
    told.store(1, ORDER(STORE));
#endif
  });
  std::thread messenger([&] {
#ifdef ISA2
    heard = told.load(ORDER(LOAD));
#else
    heard = news.load(ORDER(LOAD));
#endif
    passed_on.store(1, ORDER(STORE));
  });
  std::thread listener([&] {
    heard_again = passed_on.load(ORDER(LOAD));
    checked = news.load(std::memory_order_relaxed);
  });
  source.join();
  messenger.join();
  listener.join();
  assert(!(heard == 1 && heard_again == 1 && checked == 0));  // @forgotten
}
