// SPDX-License-Identifier: MIT
// moodycamel::ConcurrentQueue 1.0.3: nothing is lost, nothing comes twice, and what was written
// before enqueue is read behind try_dequeue.
//
// case: two_producers_one_consumer
// expect: all=holds
//
// case: one_producer_two_consumers
// flags: -DTWO_CONSUMERS
// expect: all=holds
//
// Two consumers empty a block, and the producer gets it again: docs/checker/shipped_code.md. Blocks
// of 32 elements, which is the default, do the same in more executions than a test has time for.
//
// case: two_consumers_empty_a_block_of_two
// flags: -DTWO_CONSUMERS -DBLOCK=2
// expect: all=violated:data-race
#include <concurrentqueue/concurrentqueue.h>

#include <cassert>
#include <cstddef>
#include <thread>

#ifndef BLOCK
#define BLOCK 32
#endif

struct traits : moodycamel::ConcurrentQueueDefaultTraits {
  static const std::size_t BLOCK_SIZE = BLOCK;
};

int values[5];

int main() {
  moodycamel::ConcurrentQueue<int*, traits> queue(2);
  const auto enqueue = [&](int value) {
    values[value] = value;
    queue.enqueue(&values[value]);
  };
  const auto dequeue = [&] {
    int* got = nullptr;
    return queue.try_dequeue(got) ? *got : 0;
  };
  int there = 0;
#ifdef TWO_CONSUMERS
  enqueue(1);
  enqueue(2);
  std::thread other([&] { there = dequeue(); });
#else
  std::thread other([&] {
    enqueue(1);
    enqueue(2);
  });
#endif
  int sum = dequeue();
  enqueue(4);
  other.join();
  while (const int value = dequeue()) sum += value;
  assert(sum + there == 7);
}
