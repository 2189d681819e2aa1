// SPDX-License-Identifier: MIT
// A user's program: a thread hands numbers to another one.
#include <cstdio>
#include <fencepost/event_count.hpp>
#include <fencepost/mutex.hpp>
#include <fencepost/ring.hpp>
#include <mutex>
#include <thread>

int main() {
  fencepost::mutex mutex;
  fencepost::event_count count;
  fencepost::spsc_ring<int> ring(16);
  int sum = 0;
  std::thread consumer([&] {
    while (const auto number = ring.pop()) {
      const std::lock_guard guard(mutex);
      sum += *number;
      count.increment();
    }
  });
  for (int n = 1; n <= 1000; ++n) ring.push(n);
  count.wait([&] { return count.value() == 1000; });
  ring.close();
  consumer.join();
  std::printf("sum %d\n", sum);
}
