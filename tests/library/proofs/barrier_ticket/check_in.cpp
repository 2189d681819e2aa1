// SPDX-License-Identifier: MIT
//
// A thread that checks in, where nothing interrupts it, does for tickets what an interrupt there
// would have done: before its store and its load, between them or behind.
#include <pthread.h>

#include <atomic>
#include <cassert>

#include "clock.hpp"

namespace {

std::atomic<int> x{0};
std::atomic<int> y{0};
std::atomic<int> when{0};
int dedicated_saw;
int ticket_saw = 1;

void* dedicated(void*) {
  const int chosen = when.load(std::memory_order_relaxed);
  if (chosen == 0) fencepost::barrier_check_in();
  x.store(1, std::memory_order_relaxed);
  if (chosen == 1) fencepost::barrier_check_in();
  dedicated_saw = y.load(std::memory_order_relaxed);
  if (chosen == 2) fencepost::barrier_check_in();
  return nullptr;
}

// What a ticket does that was begun on another processor; the checker has one alone.
void* with_ticket(void*) {
  y.store(1, std::memory_order_relaxed);
  const auto since = fencepost::interrupt_clock::now();
  if (fencepost::ticket::has_checked_in_since(since, 0)) {
    ticket_saw = x.load(std::memory_order_relaxed);
  }
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
  pthread_create(&threads[0], nullptr, dedicated, nullptr);
  pthread_create(&threads[1], nullptr, with_ticket, nullptr);
  pthread_create(&threads[2], nullptr, proof::time_passes, nullptr);
  pthread_create(&threads[3], nullptr, chooses, nullptr);
  for (const pthread_t thread : threads) pthread_join(thread, nullptr);
  assert(dedicated_saw == 1 || ticket_saw == 1);
  return 0;
}
