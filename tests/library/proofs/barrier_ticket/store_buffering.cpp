// SPDX-License-Identifier: MIT
//
// Of a thread with a light fence between its store and its load, and one that begins a ticket and
// loads when it is ready, one sees the other's store. There is no interrupt clock here: begin() is
// the heavy fence.
#include <pthread.h>

#include <atomic>
#include <cassert>

#include "fencepost/barrier_ticket.hpp"

namespace {

std::atomic<int> x{0};
std::atomic<int> y{0};
int light_saw;
int ticket_saw;

void* light(void*) {
  x.store(1, std::memory_order_relaxed);
  fencepost::asymmetric_thread_fence_light();
  light_saw = y.load(std::memory_order_relaxed);
  return nullptr;
}

void* with_ticket(void*) {
  y.store(1, std::memory_order_relaxed);
  auto ticket = fencepost::barrier_ticket::begin();
  assert(ticket.ready());
  ticket_saw = x.load(std::memory_order_relaxed);
  return nullptr;
}

}  // namespace

int main() {
  pthread_t threads[2];
  pthread_create(&threads[0], nullptr, light, nullptr);
  pthread_create(&threads[1], nullptr, with_ticket, nullptr);
  for (const pthread_t thread : threads) pthread_join(thread, nullptr);
  assert(light_saw == 1 || ticket_saw == 1);
  return 0;
}
