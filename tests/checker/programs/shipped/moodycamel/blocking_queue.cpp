// SPDX-License-Identifier: MIT
// moodycamel::BlockingReaderWriterCircularBuffer 1.0.6, which waits by semaphores of POSIX: who
// waits is woken, and what comes is whole.
//
// case: one_waits_for_the_other
// expect: all=holds
#include <readerwriterqueue/readerwritercircularbuffer.h>

#include <cassert>
#include <thread>

moodycamel::BlockingReaderWriterCircularBuffer<int*> queue(1);
int value = 0;

int main() {
  std::thread producer([] {
    value = 42;
    queue.wait_enqueue(&value);
  });
  int* got = nullptr;
  queue.wait_dequeue(got);
  assert(*got == 42);
  producer.join();
}
