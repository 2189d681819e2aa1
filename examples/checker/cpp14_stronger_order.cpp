// SPDX-License-Identifier: MIT
// In the words of C++11 to C++17 a stronger order may allow more (29.3 p3): a seq_cst load reads
// the last seq_cst store ahead of it in S, or one that is not seq_cst and does not happen before
// *that* one. The first thread's store happens before the second's. The third's, once it is
// seq_cst, comes last, and the load may go back behind both. C++20 says "any" for "the last".
//
//   $ ./fencepost check --model c++14,c++20 examples/checker/cpp14_stronger_order.cpp
//   holds under c++14
//   holds under c++20
//
// The same with a stronger order for the third thread's store:
//
//   $ ./fencepost check --model c++14 examples/checker/cpp14_stronger_order.cpp -- -DTHIRD=seq_cst
//   violated under c++14
//   $ ./fencepost check --model c++20 examples/checker/cpp14_stronger_order.cpp -- -DTHIRD=seq_cst
//   holds under c++20
#include <atomic>
#include <cassert>
#include <thread>

#ifndef THIRD
#define THIRD relaxed
#endif

using std::memory_order_acquire;
using std::memory_order_relaxed;
using std::memory_order_release;
using std::memory_order_seq_cst;

std::atomic<int> x, y, w;

int main() {
  int second_saw = 2, third_saw = 2, last = 0;
  std::thread first([] {
    x.store(1, memory_order_relaxed);
    y.store(1, memory_order_release);
  });
  std::thread second([&] {
    if (y.load(memory_order_acquire) == 0) return;
    x.store(2, memory_order_seq_cst);
    second_saw = w.load(memory_order_seq_cst);
  });
  std::thread third([&] {
    if (x.load(memory_order_relaxed) != 2) return;
    x.store(3, std::memory_order::THIRD);
    third_saw = w.load(memory_order_seq_cst);
  });
  std::thread fourth([&] {
    w.store(1, memory_order_seq_cst);
    last = x.load(memory_order_seq_cst);
  });
  first.join();
  second.join();
  third.join();
  fourth.join();
  assert(!(second_saw == 0 && third_saw == 0 && last == 1));
}
