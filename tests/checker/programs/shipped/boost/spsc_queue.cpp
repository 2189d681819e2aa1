// SPDX-License-Identifier: MIT
// boost::lockfree::spsc_queue of Boost 1.74: what was written before push is read behind pop, in
// order.
//
// case: one_producer_one_consumer
// expect: all=holds
//
// case: against_its_use_with_two_producers
// flags: -DTWO_PRODUCERS
// expect: all=violated:data-race
#include <boost/lockfree/spsc_queue.hpp>
#include <cassert>
#include <thread>

boost::lockfree::spsc_queue<int*, boost::lockfree::capacity<1>> queue;
int values[3];

void push(int value) {
  values[value] = value;
  queue.push(&values[value]);
}

int main() {
#ifdef TWO_PRODUCERS
  std::thread producer(push, 1);
  push(2);
#else
  std::thread producer([] {
    push(1);
    push(2);  // or not: there is room for one
  });
  for (int last = 0, i = 0; i < 2; i++) {
    int* value = nullptr;
    if (!queue.pop(value)) continue;
    assert(*value > last);
    last = *value;
  }
#endif
  producer.join();
}
