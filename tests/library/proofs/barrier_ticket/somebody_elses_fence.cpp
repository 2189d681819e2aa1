// SPDX-License-Identifier: MIT
//
// A ticket that is over because another thread executed a heavy fence, for a ticket of its own, is
// as good as one whose thread did: who has a light fence between a store and a load sees what was
// stored before begin(), or its store is seen behind ready(). The clock stands still here.
#include <pthread.h>

#include <atomic>
#include <cassert>

#include "clock.hpp"

namespace {

std::atomic<int> x{0};
std::atomic<int> y{0};
int light_saw;
int ticket_saw = 1;

void* light(void*) {
  x.store(1, std::memory_order_relaxed);
  fencepost::asymmetric_thread_fence_light();
  light_saw = y.load(std::memory_order_relaxed);
  return nullptr;
}

void* with_ticket(void*) {
  y.store(1, std::memory_order_relaxed);
  auto ticket = proof::begin();
  if (ticket.ready()) ticket_saw = x.load(std::memory_order_relaxed);
  return nullptr;
}

void* other_with_ticket(void*) {
  proof::begin().finish();
  return nullptr;
}

}  // namespace

int main() {
  pthread_t threads[3];
  pthread_create(&threads[0], nullptr, light, nullptr);
  pthread_create(&threads[1], nullptr, with_ticket, nullptr);
  pthread_create(&threads[2], nullptr, other_with_ticket, nullptr);
  for (const pthread_t thread : threads) pthread_join(thread, nullptr);
  assert(light_saw == 1 || ticket_saw == 1);
  return 0;
}
