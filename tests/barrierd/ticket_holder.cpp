// SPDX-License-Identifier: MIT
//
// Waits for tickets of the process's interrupt clock, and says how that went:
//
//   wait N           waits for N tickets with patience without end; one line, "by the clock N"
//   deadline N US    the same, each with a deadline of so many microseconds; "over N"
//   threads N        N threads each wait for tickets so, and say "waiting" once all do, until the
//                    clock is no more; one line, "over N"
//   subset N         begins N tickets for the processor to which it is bound; "at once N"
//   crowd N          N threads begin a ticket each, and all wait at once, as is usual; "over N"
#include <pthread.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "fencepost/barrier_ticket.hpp"

namespace {

using fencepost::barrier_ticket;
using fencepost::interrupt_clock;

int wait(int tickets) {
  int by_clock = 0;
  for (int n = 0; n != tickets; ++n)
    by_clock += barrier_ticket::begin().wait(barrier_ticket::no_end);
  std::printf("by the clock %d\n", by_clock);
  return interrupt_clock::process() != nullptr ? 0 : 1;
}

int wait_with_deadline(int tickets, int microseconds) {
  int over = 0;
  for (int n = 0; n != tickets; ++n) {
    auto ticket = barrier_ticket::begin();
    ticket.wait_for(std::chrono::microseconds(microseconds), barrier_ticket::no_end);
    over += ticket.ready();
  }
  std::printf("over %d\n", over);
  return interrupt_clock::process() != nullptr ? 0 : 1;
}

int wait_in_threads(int count) {
  std::atomic<int> over{0};
  std::atomic<int> waiting{0};
  std::vector<std::thread> all;
  for (int n = 0; n != count; ++n) {
    all.emplace_back([&] {
      auto ticket = barrier_ticket::begin();
      ++waiting;
      while (ticket.wait(barrier_ticket::no_end) && interrupt_clock::process() != nullptr) {
        ticket = barrier_ticket::begin();
      }
      over += ticket.ready();
    });
  }
  while (waiting != count) std::this_thread::yield();
  std::puts("waiting");
  std::fflush(stdout);
  for (std::thread& one : all) one.join();
  std::printf("over %d\n", over.load());
  return 0;
}

int wait_for_own_processor(int tickets) {
  cpu_set_t own;
  CPU_ZERO(&own);
  CPU_SET(::sched_getcpu(), &own);
  if (::sched_setaffinity(0, sizeof own, &own) != 0) return 4;
  int at_once = 0;
  for (int n = 0; n != tickets; ++n) at_once += barrier_ticket::begin(&own).ready();
  std::printf("at once %d\n", at_once);
  return interrupt_clock::process() != nullptr ? 0 : 1;
}

std::atomic<int> crowd_over{0};
std::atomic<bool> crowd_begins{false};

void* wait_in_crowd(void*) {
  crowd_begins.wait(false);
  auto ticket = barrier_ticket::begin();
  ticket.wait();
  crowd_over += ticket.ready();
  return nullptr;
}

int crowd(int count) {
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 1 << 16);
  std::vector<pthread_t> all(static_cast<std::size_t>(count));
  for (pthread_t& one : all) {
    if (pthread_create(&one, &small, wait_in_crowd, nullptr) != 0) return 4;
  }
  crowd_begins = true;
  crowd_begins.notify_all();
  for (const pthread_t one : all) pthread_join(one, nullptr);
  std::printf("over %d\n", crowd_over.load());
  return 0;
}

}  // namespace

int main(int count, char** words) {
  const std::string command = count > 2 ? words[1] : "";
  const int first = count > 2 ? std::atoi(words[2]) : 0;
  // Without a clock every ticket is ready at once, and nothing would be tested.
  if (interrupt_clock::process() == nullptr) return 3;
  if (command == "wait") return wait(first);
  if (command == "deadline" && count > 3) return wait_with_deadline(first, std::atoi(words[3]));
  if (command == "threads") return wait_in_threads(first);
  if (command == "subset") return wait_for_own_processor(first);
  if (command == "crowd") return crowd(first);
  return 2;
}
