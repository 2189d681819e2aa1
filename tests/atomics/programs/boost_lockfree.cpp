// SPDX-License-Identifier: MIT
//
// Boost.Lockfree's three containers among threads: everything that goes in comes out once. Their
// heads are a pointer, or an index, with a count of its reuses.
#include <array>
#include <atomic>
#include <boost/lockfree/queue.hpp>
#include <boost/lockfree/spsc_queue.hpp>
#include <boost/lockfree/stack.hpp>
#include <cstdio>
#include <thread>
#include <vector>

namespace {

constexpr int producers = 2, consumers = 2, each = 20000;

template <class Container>
bool everything_comes_out_once(Container& between) {
  std::array<std::atomic<int>, producers * each> seen{};
  std::atomic<int> left = producers * each;
  std::vector<std::thread> threads;
  for (int p = 0; p != producers; ++p) {
    threads.emplace_back([&between, p] {
      for (int n = 0; n != each; ++n) {
        while (!between.push(p * each + n)) std::this_thread::yield();
      }
    });
  }
  for (int c = 0; c != consumers; ++c) {
    threads.emplace_back([&] {
      while (left > 0) {
        int value = 0;
        if (between.pop(value)) {
          ++seen[static_cast<unsigned>(value)];
          --left;
        } else {
          std::this_thread::yield();
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& times : seen) {
    if (times != 1) return false;
  }
  return true;
}

bool comes_out_in_order() {
  boost::lockfree::spsc_queue<int, boost::lockfree::capacity<64>> between;
  std::thread producer([&between] {
    for (int n = 0; n != each; ++n) {
      while (!between.push(n)) std::this_thread::yield();
    }
  });
  bool ordered = true;
  for (int n = 0; n != each; ++n) {
    int value = -1;
    while (!between.pop(value)) std::this_thread::yield();
    ordered &= value == n;
  }
  producer.join();
  return ordered;
}

}  // namespace

int main() {
  boost::lockfree::queue<int> queue(64);
  boost::lockfree::stack<int> stack(64);
  boost::lockfree::queue<int, boost::lockfree::capacity<100>> fixed;  // indices instead of pointers
  const bool right = everything_comes_out_once(queue) && everything_comes_out_once(stack) &&
                     everything_comes_out_once(fixed) && comes_out_in_order();
  if (!right) std::fputs("something is missing or came twice\n", stderr);
  return right ? 0 : 1;
}
