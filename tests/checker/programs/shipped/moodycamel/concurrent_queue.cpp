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
#include <concurrentqueue/concurrentqueue.h>

#include <cassert>
#include <thread>

int values[3];

int main() {
  moodycamel::ConcurrentQueue<int*> queue(2);
  const auto enqueue = [&](int value) {
    values[value] = value;
    queue.enqueue(&values[value]);
  };
  const auto dequeue = [&] {
    int* got = nullptr;
    return queue.try_dequeue(got) ? *got : 0;
  };
#ifdef TWO_CONSUMERS
  enqueue(1);
  int there = 0;
  std::thread other([&] { there = dequeue(); });
  enqueue(2);
#else
  const int there = 0;
  std::thread other([&] { enqueue(1); });
  enqueue(2);
#endif
  int sum = dequeue();
  other.join();
  while (const int value = dequeue()) sum += value;
  assert(sum + there == 3);
}
