// SPDX-License-Identifier: MIT
//
// The same as store_buffering where the kernel has no membarrier, so that both sides are full
// fences. Between processes the heavy side says so.
//
// models: c++20 x86 sc
// options: --no-membarrier
// variant: process
// variant: interprocess -DINTERPROCESS
#include <pthread.h>

#include <cassert>

#include "fencepost/asymmetric_fence.hpp"

namespace {

std::atomic<int> x{0};
std::atomic<int> y{0};
int light_saw;
int heavy_saw;

void light_fence() {
#ifdef INTERPROCESS
  fencepost::interprocess_asymmetric_thread_fence_light();
#else
  fencepost::asymmetric_thread_fence_light();
#endif
}

void heavy_fence() {
#ifdef INTERPROCESS
  const bool reached = fencepost::interprocess_asymmetric_thread_fence_heavy();
  assert(!reached);
#else
  fencepost::asymmetric_thread_fence_heavy();
#endif
}

void* light(void*) {
  x.store(1, std::memory_order_relaxed);
  light_fence();
  light_saw = y.load(std::memory_order_relaxed);
  return nullptr;
}

void* heavy(void*) {
  y.store(1, std::memory_order_relaxed);
  heavy_fence();
  heavy_saw = x.load(std::memory_order_relaxed);
  return nullptr;
}

}  // namespace

int main() {
  pthread_t threads[2];
  pthread_create(&threads[0], nullptr, light, nullptr);
  pthread_create(&threads[1], nullptr, heavy, nullptr);
  for (const pthread_t thread : threads) pthread_join(thread, nullptr);
  assert(fencepost::asymmetric_fence_strategy() == fencepost::asymmetric_strategy::full_fences);
  assert(light_saw == 1 || heavy_saw == 1);
  return 0;
}
