// SPDX-License-Identifier: MIT
// Two stores and two threads that look at them in opposite orders, each with a seq_cst fence
// between its looks. Under C++20 they agree which store came first. C++14 orders two fences only by
// a store sequenced before the one and a load sequenced after the other that misses it (29.3p6);
// that a load before a fence has seen the store orders nothing. The readers may disagree, and no
// number of fences mends that.
//
//   $ ./fencepost check --model c++20,c++14 examples/checker/cpp14_fences.cpp
//   holds under c++20: 15 executions
//   violated under c++14
//   assertion at examples/checker/cpp14_fences.cpp
//
// Accesses that are seq_cst themselves do, under both:
//
//   $ ./fencepost check --model c++20,c++14 examples/checker/cpp14_fences.cpp -- -DACCESSES=seq_cst
//   holds under c++20: 15 executions
//   holds under c++14: 15 executions
#include <atomic>
#include <cassert>
#include <thread>

#ifndef ACCESSES
#define ACCESSES relaxed
#endif
constexpr auto accesses = std::memory_order::ACCESSES;

std::atomic<int> x{0};
std::atomic<int> y{0};

void set(std::atomic<int>& a) {
  a.store(1, accesses);
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

bool sees_only_first(const std::atomic<int>& first, const std::atomic<int>& second) {
  const int a = first.load(accesses);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  const int b = second.load(accesses);
  return a == 1 && b == 0;
}

int main() {
  bool x_came_first = false;
  bool y_came_first = false;
  std::thread set_x([] { set(x); });
  std::thread set_y([] { set(y); });
  std::thread look([&] { x_came_first = sees_only_first(x, y); });
  std::thread look_again([&] { y_came_first = sees_only_first(y, x); });
  set_x.join();
  set_y.join();
  look.join();
  look_again.join();
  assert(!(x_came_first && y_came_first));
}
