// SPDX-License-Identifier: MIT
// Z6.U of Lahav et al. (PLDI 2017): seq_cst operations that are ordered by release and acquire
// alone. Under C++14 the order of all seq_cst operations follows happens-before, so that x = 1 is
// before the addition to y, which is before y = 3, which is before the load of x. C++20 gave that
// up where synchronisation itself leads from one seq_cst operation to the other, for Power and Arm
// do not keep to it when the compiler puts the fences where it does.
//
//   $ ./fencepost check --model c++14,c++20 examples/checker/cpp14_happens_before.cpp
//   holds under c++14: 22 executions
//   violated under c++20
//   assertion at examples/checker/cpp14_happens_before.cpp
#include <atomic>
#include <cassert>
#include <thread>

std::atomic<int> x{0};
std::atomic<int> y{0};

int main() {
  int before = 0;
  int after = 0;
  int x_seen = 0;
  std::thread one([] {
    x.store(1, std::memory_order_seq_cst);
    y.store(1, std::memory_order_release);
  });
  std::thread two([&] {
    before = y.fetch_add(1, std::memory_order_seq_cst);
    after = y.load(std::memory_order_relaxed);
  });
  std::thread three([&] {
    y.store(3, std::memory_order_seq_cst);
    x_seen = x.load(std::memory_order_seq_cst);
  });
  one.join();
  two.join();
  three.join();
  assert(!(before == 1 && after == 3 && x_seen == 0));
}
