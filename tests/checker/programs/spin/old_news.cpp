// SPDX-License-Identifier: MIT
// A thread spins and reads a value that has been overwritten. Nothing follows from the round but
// what it has looked at on the way.
//
// case: reads_plainly_in_the_round
// flags: -DROUND=seen=data
// expect: all=violated:data-race at=round|written
//
// case: reads_plainly_before_it_looks
// flags: -DBEFORE=seen=data
// expect: all=violated:data-race at=round|written
//
// case: looks_alone
// expect: all=holds executions=2 blocked=0
//
// case: by_an_exchange
// flags: -DEXCHANGED
// expect: all=holds executions=3 blocked=0
//
// case: by_an_exchange_and_reads_plainly
// flags: -DEXCHANGED -DROUND=seen=data
// expect: all=violated:data-race at=round|written
//
// case: by_attempts
// flags: -DATTEMPTS
// expect: all=holds executions=6
//
// case: that_nobody_has_written
// flags: -DUNWRITTEN
// expect: all=violated:memory at=looks says="nobody has written"
//
// case: nobody_has_written_before
// flags: -DUNWRITTEN_BEFORE
// expect: all=violated:memory at=before says="nobody has written"
//
// case: nobody_has_written_in_the_round
// flags: -DUNWRITTEN_BESIDE
// expect: all=violated:memory at=beside says="nobody has written"
//
// case: before_its_time_is_over
// flags: -DDEADLINE
// options: --timeouts
// expect: all=violated:assertion at=late
//
// case: what_another_thread_makes_of_it
// flags: -DFAILS
// expect: all=violated:assertion at=fails
#include <atomic>
#include <cassert>
#include <chrono>
#include <cstdlib>
#include <thread>

static std::atomic<int> flag{0};
static std::atomic<int> told{0};
static int data;
static std::atomic<int>* fresh;
[[maybe_unused]] static const int* unwritten;
[[maybe_unused]] static const std::atomic<int>* unstored;

#ifndef ROUND
#define ROUND (void)0
#endif
#ifndef BEFORE
#define BEFORE (void)0
#endif

static void waits() {
  [[maybe_unused]] int seen = 0;
#if defined(EXCHANGED)
  while (flag.exchange(0, std::memory_order_relaxed) == 0) ROUND;  // @round
#elif defined(ATTEMPTS)
  seen = flag.load(std::memory_order_relaxed);
  while (!flag.compare_exchange_weak(seen, seen + 1, std::memory_order_relaxed)) {
  }
#elif defined(UNWRITTEN)
  const std::atomic<int>* const own = fresh;
  while (own->load(std::memory_order_relaxed) != 1) {  // @looks
  }
#elif defined(UNWRITTEN_BEFORE)
  if (told.load(std::memory_order_relaxed) == 0) return;
  const int before = *unwritten;  // @before
  while (flag.load(std::memory_order_relaxed) == 0) assert(before != 1);
#elif defined(UNWRITTEN_BESIDE)
  if (told.load(std::memory_order_relaxed) == 0) return;
  for (;;) {
    const int beside = unstored->load(std::memory_order_relaxed);  // @beside
    if (flag.load(std::memory_order_relaxed) != 0) break;
    assert(beside != 1);
  }
#elif defined(DEADLINE)
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  while (flag.load(std::memory_order_relaxed) == 0) {
    assert(std::chrono::steady_clock::now() < end);  // @late
  }
#else
  for (;;) {
    BEFORE;  // @round
    if (flag.load(std::memory_order_relaxed) != 0) break;
    ROUND;  // @round
  }
#endif
}

static void writes() {
  while (flag.load(std::memory_order_relaxed) == 0 && told.load(std::memory_order_relaxed) == 0) {
  }
  data = 2;  // @written
#ifdef FAILS
  assert(told.load(std::memory_order_relaxed) == 0);  // @fails
#endif
}

static void overwrites() {
#if defined(UNWRITTEN_BEFORE) || defined(UNWRITTEN_BESIDE)
  told.store(1, std::memory_order_relaxed);
  flag.store(1, std::memory_order_relaxed);
#endif
  flag.store(1, std::memory_order_relaxed);
  told.store(1, std::memory_order_relaxed);
  fresh->store(1, std::memory_order_relaxed);
}

int main() {
  fresh = static_cast<std::atomic<int>*>(std::malloc(sizeof *fresh));
  unwritten = static_cast<int*>(std::malloc(sizeof *unwritten));
  unstored = static_cast<std::atomic<int>*>(std::malloc(sizeof *unstored));
  std::thread first(overwrites);
  std::thread second(waits);
  std::thread third(writes);
  first.join();
  second.join();
  third.join();
}
