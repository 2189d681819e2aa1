// SPDX-License-Identifier: MIT
// IRIW: two readers disagree about the order of two independent writes.
//
// case: relaxed
// flags: -DSTORE=relaxed -DLOAD=relaxed
// expect: c++20=violated:assertion x86=holds sc=holds executions=15 at=disagree
//
// case: release_acquire
// flags: -DSTORE=release -DLOAD=acquire
// expect: c++20=violated:assertion x86=holds sc=holds executions=15 at=disagree
//
// case: seq_cst
// flags: -DSTORE=seq_cst -DLOAD=seq_cst
// expect: all=holds executions=15
//
// case: seq_cst_fences_between_the_loads
// flags: -DSTORE=release -DLOAD=relaxed -DFENCE
// expect: all=holds executions=15
//
// case: every_outcome_release_acquire
// flags: -DSTORE=release -DLOAD=acquire -DNDEBUG
// expect: c++20=holds executions=16
#include <atomic>
#include <cassert>
#include <thread>

#define ORDER_(name) std::memory_order_##name
#define ORDER(name) ORDER_(name)

std::atomic<int> x{0};
std::atomic<int> y{0};

void look(const std::atomic<int>& a, const std::atomic<int>& b, int& first, int& second) {
  first = a.load(ORDER(LOAD));
#ifdef FENCE
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
  second = b.load(ORDER(LOAD));
}

int main() {
  int x_first = 0;
  int y_second = 0;
  int y_first = 0;
  int x_second = 0;
  std::thread write_x([] { x.store(1, ORDER(STORE)); });
  std::thread write_y([] { y.store(1, ORDER(STORE)); });
  std::thread read_x_y([&] { look(x, y, x_first, y_second); });
  std::thread read_y_x([&] { look(y, x, y_first, x_second); });
  write_x.join();
  write_y.join();
  read_x_y.join();
  read_y_x.join();
  [[maybe_unused]] const bool x_before_y = x_first == 1 && y_second == 0;
  [[maybe_unused]] const bool y_before_x = y_first == 1 && x_second == 0;
  assert(!(x_before_y && y_before_x));  // @disagree
}
