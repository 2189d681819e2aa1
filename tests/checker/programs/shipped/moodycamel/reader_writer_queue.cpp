// SPDX-License-Identifier: MIT
// moodycamel::ReaderWriterQueue 1.0.6, one producer and one consumer, grown by a block on the way.
//
// case: in_order_and_whole
// expect: all=holds
#include <readerwriterqueue/readerwriterqueue.h>

#include <cassert>
#include <thread>

moodycamel::ReaderWriterQueue<int*, 2> queue(1);
int values[3];

int main() {
  std::thread producer([] {
    for (int value = 1; value <= 2; value++) {
      values[value] = value;
      queue.enqueue(&values[value]);
    }
  });
  int next = 1;
  int* got = nullptr;
  for (int i = 0; i < 2; i++) {
    if (queue.try_dequeue(got)) assert(*got == next++);
  }
  producer.join();
  while (queue.try_dequeue(got)) assert(*got == next++);
  assert(next == 3);
}
