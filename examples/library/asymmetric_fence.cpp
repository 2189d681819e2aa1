// SPDX-License-Identifier: MIT
//
// A flag that a worker looks at all the time and that is almost never raised: the worker pays for a
// load, and whoever stops it knows afterwards that it is outside, or will see the flag.
#include "fencepost/asymmetric_fence.hpp"

#include <atomic>
#include <cstdio>
#include <thread>

namespace {

std::atomic<bool> inside{false};
std::atomic<bool> stop{false};
long steps = 0;  // the worker's, while it is inside

void work() {
  for (;;) {
    inside.store(true, std::memory_order_relaxed);
    fencepost::asymmetric_thread_fence_light();  // a load and a branch on the usual machine
    if (stop.load(std::memory_order_relaxed)) break;
    ++steps;
    inside.store(false, std::memory_order_release);
  }
  inside.store(false, std::memory_order_release);
}

}  // namespace

int main() {
  std::thread worker(work);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));

  stop.store(true, std::memory_order_relaxed);
  fencepost::asymmetric_thread_fence_heavy();
  // From here on the worker sees the flag before it takes another step.
  while (inside.load(std::memory_order_acquire)) std::this_thread::yield();
  const long seen = steps;

  worker.join();
  std::printf("stopped after %ld steps\n", seen);
  return seen == steps ? 0 : 1;
}
