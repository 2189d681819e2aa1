// SPDX-License-Identifier: MIT
//
// A processor that has switched threads twice since it was looked at has executed a full fence
// since the time of that look, so that a ticket may be redeemed by it: of a thread that stores and
// loads, and is switched out twice wherever that may be, and one that begins a ticket and loads
// when it is ready, one sees the other's store. And so for the virtual clock.
//
// case: real -DVIRTUAL=0
// case: virtual -DVIRTUAL=1
#include <pthread.h>

#include <atomic>
#include <cassert>

#include "clock.hpp"

#if !defined(SWITCHES)
#define SWITCHES 2
#endif

namespace {

std::atomic<int> x{0};
std::atomic<int> y{0};
std::atomic<int> when{0};
std::atomic<int> nr_switches{0};
int switched_saw;
int ticket_saw = 1;

/// What the scheduler does, on the processor that is looked at.
void switch_threads() {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  nr_switches.store(nr_switches.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

/// Of the switches, one is at `first` and one at `second`: before the store, before the load or
/// behind it.
void* switched(void*) {
  const int chosen = when.load(std::memory_order_relaxed);
  const int first = chosen < 3 ? 0 : chosen < 5 ? 1 : 2;
  const int second = chosen < 3 ? chosen : chosen < 5 ? chosen - 2 : 2;
  const auto here = [&](int place) {
    if (first == place) switch_threads();
    if (second == place) switch_threads();
  };
  here(0);
  x.store(1, std::memory_order_relaxed);
  here(1);
  switched_saw = y.load(std::memory_order_relaxed);
  here(2);
  return nullptr;
}

void* with_ticket(void*) {
  y.store(1, std::memory_order_relaxed);
  proof::waiter ticket;
  if (ticket.passed()) ticket_saw = x.load(std::memory_order_relaxed);
  return nullptr;
}

/// Another processor's interrupts: one notes the time and the count, a later one compares.
void* looks(void*) {
  const std::uint64_t time = proof::now();
  std::atomic_thread_fence(std::memory_order_seq_cst);
  const int before = nr_switches.load(std::memory_order_relaxed);
  if (nr_switches.load(std::memory_order_relaxed) - before >= SWITCHES) proof::stamp(time);
  return nullptr;
}

void* chooses(void*) {
  for (int chosen = 1; chosen != 6; ++chosen) when.store(chosen, std::memory_order_relaxed);
  return nullptr;
}

}  // namespace

int main() {
  pthread_t threads[5];
  pthread_create(&threads[0], nullptr, switched, nullptr);
  pthread_create(&threads[1], nullptr, with_ticket, nullptr);
  pthread_create(&threads[2], nullptr, looks, nullptr);
  pthread_create(&threads[3], nullptr, chooses, nullptr);
  pthread_create(&threads[4], nullptr, proof::time_passes, nullptr);
  for (const pthread_t thread : threads) pthread_join(thread, nullptr);
  assert(switched_saw == 1 || ticket_saw == 1);
  return 0;
}
