// SPDX-License-Identifier: MIT
// The flag is raised with a release store and raised further with a relaxed one. Who reads the
// second value sees the data under C++14, where the later store continues the release sequence of
// the earlier. C++20 (P0982) lets nothing but read-modify-writes continue it.
//
//   $ ./fencepost check --model c++14,c++20 examples/checker/cpp14_release_sequence.cpp
//   holds under c++14: 3 executions
//   violated under c++20
//   data-race at examples/checker/cpp14_release_sequence.cpp
//
// Another thread's store in between breaks the sequence, in C++14 too; the execution shows it.
//
//   $ ./fencepost check --model c++14 examples/checker/cpp14_release_sequence.cpp -- -DBREAK
//   violated under c++14
//   writes flag = 1 (release)
//   writes flag = 7 (relaxed)
//   writes flag = 2 (relaxed)
//   reads flag = 2 (acquire)
#include <atomic>
#include <cassert>
#include <thread>

int data = 0;
std::atomic<int> flag{0};

int main() {
  std::thread producer([] {
    data = 42;
    flag.store(1, std::memory_order_release);
    flag.store(2, std::memory_order_relaxed);
  });
#ifdef BREAK
  std::thread another([] { flag.store(7, std::memory_order_relaxed); });
#endif
  if (flag.load(std::memory_order_acquire) == 2) {
    assert(data == 42);
  }
  producer.join();
#ifdef BREAK
  another.join();
#endif
}
