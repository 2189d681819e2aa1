// SPDX-License-Identifier: MIT
//
// Waits for tickets of the process's interrupt clock, and says how that went:
//
//   wait N           waits for N tickets with patience without end; one line, "by the clock N"
//   deadline N US    the same, each with a deadline of so many microseconds; "over N"
//   threads N        N threads each wait for tickets so, and say "waiting" once all do, until the
//                    clock is no more; one line, "over N"
//   full_fences N    chooses full fences, looks for no clock and begins N tickets; "at once N"
//   subset N         begins N tickets for the processor to which it is bound; "at once N"
//   crowd N          N threads begin a ticket each, and all wait at once, as is usual; "over N"
//   follow N CPU     N threads wait for one ticket after the other, half of them for that processor
//                    alone; for each line that it reads, when every thread has passed two more,
//                    "late" and how many tickets of all so far the clock did not redeem within ten
//                    seconds
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

int with_full_fences(int tickets) {
  fencepost::use_asymmetric_fence_strategy(fencepost::asymmetric_strategy::full_fences);
  int at_once = 0;
  for (int n = 0; n != tickets; ++n) at_once += barrier_ticket::begin().ready();
  std::printf("at once %d\n", at_once);
  return 0;
}

int follow(int count, std::size_t processor) {
  static cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(processor, &one);
  std::atomic<bool> over{false};
  std::atomic<int> late{0};
  std::vector<std::atomic<long>> passed(static_cast<std::size_t>(count));
  std::vector<std::thread> all;
  for (std::size_t n = 0; n != passed.size(); ++n) {
    all.emplace_back([&, n] {
      while (!over) {
        auto ticket = barrier_ticket::begin(n % 2 == 0 ? &one : nullptr);
        late += !ticket.wait_for(std::chrono::seconds(10), barrier_ticket::no_end);
        ++passed[n];
        // A ticket for the own processor is over at once.
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    });
  }
  while (std::getchar() != EOF) {
    for (auto& its : passed) {
      // The first of them may have begun before the line was read.
      const long wanted = its + 2;
      while (its < wanted) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    std::printf("late %d\n", late.load());
    std::fflush(stdout);
  }
  over = true;
  for (std::thread& thread : all) thread.join();
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
  if (command == "full_fences") return with_full_fences(first);
  // Without a clock every ticket is ready at once, and nothing would be tested.
  if (interrupt_clock::process() == nullptr) return 3;
  if (command == "wait") return wait(first);
  if (command == "deadline" && count > 3) return wait_with_deadline(first, std::atoi(words[3]));
  if (command == "threads") return wait_in_threads(first);
  if (command == "subset") return wait_for_own_processor(first);
  if (command == "crowd") return crowd(first);
  if (command == "follow" && count > 3)
    return follow(first, static_cast<std::size_t>(std::atoi(words[3])));
  return 2;
}
