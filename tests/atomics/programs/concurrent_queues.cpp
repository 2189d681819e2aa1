// SPDX-License-Identifier: MIT
//
// moodycamel's queues among threads: one for many, with its blocks and its list of producers, and
// one for two.
#include <concurrentqueue/concurrentqueue.h>
#include <readerwriterqueue/readerwriterqueue.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

namespace {

constexpr int producers = 3, consumers = 2, each = 10000;

bool everything_comes_out_once() {
  moodycamel::ConcurrentQueue<int> between;
  std::array<std::atomic<int>, producers * each> seen{};
  std::atomic<int> left = producers * each;
  std::vector<std::thread> threads;
  for (int p = 0; p != producers; ++p) {
    threads.emplace_back([&between, p] {
      for (int n = 0; n != each; ++n) between.enqueue(p * each + n);
    });
  }
  for (int c = 0; c != consumers; ++c) {
    threads.emplace_back([&] {
      std::array<int, 16> some{};
      while (left > 0) {
        const auto count = between.try_dequeue_bulk(some.begin(), some.size());
        for (unsigned n = 0; n != count; ++n) ++seen[static_cast<unsigned>(some[n])];
        left -= static_cast<int>(count);
        if (count == 0) std::this_thread::yield();
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
  moodycamel::ReaderWriterQueue<int> between(16);
  std::thread producer([&between] {
    for (int n = 0; n != each; ++n) between.enqueue(n);
  });
  bool ordered = true;
  for (int n = 0; n != each; ++n) {
    int value = -1;
    while (!between.try_dequeue(value)) std::this_thread::yield();
    ordered &= value == n;
  }
  producer.join();
  return ordered;
}

}  // namespace

int main() {
  const bool right = everything_comes_out_once() && comes_out_in_order();
  if (!right) std::fputs("something is missing or came twice\n", stderr);
  return right ? 0 : 1;
}
