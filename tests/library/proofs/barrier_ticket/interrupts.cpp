// SPDX-License-Identifier: MIT
//
// A ticket that the interrupt clock redeems is a heavy fence: of a thread that stores and loads,
// with nothing in between, and one that begins a ticket and loads when it is ready, one sees the
// other's store, wherever the first was interrupted: before both, between them or behind.
// And so is a wait by the virtual clock.
//
// case: real -DVIRTUAL=0
// case: virtual -DVIRTUAL=1
#include <pthread.h>

#include <atomic>
#include <cassert>

#include "clock.hpp"

namespace {

std::atomic<int> x{0};
std::atomic<int> y{0};
std::atomic<int> when{0};
int interrupted_saw;
int ticket_saw = 1;

void* interrupted(void*) {
  const int chosen = when.load(std::memory_order_relaxed);
  if (chosen == 0) proof::interrupt();
  x.store(1, std::memory_order_relaxed);
  if (chosen == 1) proof::interrupt();
  interrupted_saw = y.load(std::memory_order_relaxed);
  if (chosen == 2) proof::interrupt();
  return nullptr;
}

void* with_ticket(void*) {
  y.store(1, std::memory_order_relaxed);
  proof::waiter ticket;
  if (ticket.passed()) ticket_saw = x.load(std::memory_order_relaxed);
  return nullptr;
}

void* chooses(void*) {
  when.store(1, std::memory_order_relaxed);
  when.store(2, std::memory_order_relaxed);
  return nullptr;
}

}  // namespace

int main() {
  pthread_t threads[4];
  pthread_create(&threads[0], nullptr, interrupted, nullptr);
  pthread_create(&threads[1], nullptr, with_ticket, nullptr);
  pthread_create(&threads[2], nullptr, chooses, nullptr);
  pthread_create(&threads[3], nullptr, proof::time_passes, nullptr);
  for (const pthread_t thread : threads) pthread_join(thread, nullptr);
  assert(interrupted_saw == 1 || ticket_saw == 1);
  return 0;
}
