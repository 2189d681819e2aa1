// SPDX-License-Identifier: MIT
//
// Of two threads with heavy fences between store and load, one sees the other's store.
#include <pthread.h>

#include <cassert>

#include "fencepost/asymmetric_fence.hpp"

namespace {

std::atomic<int> x{0};
std::atomic<int> y{0};
int first_saw;
int second_saw;

void* first(void*) {
  x.store(1, std::memory_order_relaxed);
  fencepost::asymmetric_thread_fence_heavy();
  first_saw = y.load(std::memory_order_relaxed);
  return nullptr;
}

void* second(void*) {
  y.store(1, std::memory_order_relaxed);
  fencepost::asymmetric_thread_fence_heavy();
  second_saw = x.load(std::memory_order_relaxed);
  return nullptr;
}

}  // namespace

int main() {
  pthread_t threads[2];
  pthread_create(&threads[0], nullptr, first, nullptr);
  pthread_create(&threads[1], nullptr, second, nullptr);
  for (const pthread_t thread : threads) pthread_join(thread, nullptr);
  assert(first_saw == 1 || second_saw == 1);
  return 0;
}
