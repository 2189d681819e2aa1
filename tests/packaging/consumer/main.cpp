// SPDX-License-Identifier: MIT
// A user's program: a thread hands numbers to another one.
#include <cstdio>
#include <fencepost/event_count.hpp>
#include <fencepost/event_mutex.hpp>
#include <thread>

int main() {
  fencepost::event_mutex<> mutex;
  fencepost::event_count count;
  int sum = 0;
  std::thread producer([&] {
    for (int n = 1; n <= 1000; ++n) {
      mutex.lock();
      sum += n;
      mutex.unlock();
      count.increment();
    }
  });
  count.wait([&] { return count.value() == 1000; });
  producer.join();
  std::printf("sum %d\n", sum);
}
