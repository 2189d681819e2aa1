// SPDX-License-Identifier: MIT
// A thread uses a local variable of another one after the end of its scope, or may still be at it
// when the scope ends: of a function that has returned, inlined or not, of a block, of a round of a
// loop, a parameter, a temporary object, a variable of main's.
//
// case: captured_and_detached
// flags: -DCAPTURED
// expect: all=memory
//
// case: captured_and_detached_unoptimised
// flags: -DCAPTURED -O0
// expect: all=memory
//
// case: captured_and_detached_inlined
// flags: -DCAPTURED -DINLINED -O2
// expect: all=memory
//
// case: captured_and_detached_by_clang
// flags: -DCAPTURED
// options: --cc clang-14
// expect: all=memory
//
// case: captured_and_detached_by_clang_unoptimised
// flags: -DCAPTURED -O0
// options: --cc clang-14
// expect: all=memory
//
// case: a_block_by_clang_unoptimised
// flags: -DBLOCK -O0
// options: --cc clang-14
// expect: all=memory
//
// case: a_parameter_by_clang
// flags: -DPARAMETER -O2
// options: --cc clang-14
// expect: all=memory
//
// case: a_parameter_whose_reader_is_joined_by_clang
// flags: -DPARAMETER -DJOINED
// options: --cc clang-14
// expect: all=holds executions=1
//
// case: each_round_of_a_loop_by_clang
// flags: -DLOOP
// options: --cc clang-14
// expect: all=holds
//
// case: the_round_before_by_clang
// flags: -DLOOP -DLATE
// options: --cc clang-14
// expect: all=memory
//
// case: joined_before
// flags: -DCAPTURED -DJOINED
// expect: all=holds executions=1
//
// case: an_atomic_one
// flags: -DATOMIC
// expect: all=memory
//
// case: a_block
// flags: -DBLOCK
// expect: all=memory
//
// case: a_block_that_lasts_long_enough
// flags: -DBLOCK -DWAITS
// expect: all=holds
//
// case: a_block_that_lasts_long_enough_by_clang
// flags: -DBLOCK -DWAITS
// options: --cc clang-14
// expect: all=holds
//
// case: without_order
// flags: -DBLOCK -DWAITS -DORDER=std::memory_order_relaxed
// expect: all=memory
//
// case: each_round_of_a_loop
// flags: -DLOOP
// expect: all=holds
//
// case: the_round_before
// flags: -DLOOP -DLATE
// expect: all=memory
//
// case: a_parameter
// flags: -DPARAMETER
// expect: all=memory
//
// case: a_parameter_that_gcc_knows_the_value_of
// flags: -DPARAMETER -O2
// expect: all=memory
//
// case: each_round_of_a_loop_that_is_unrolled
// flags: -DLOOP -O2
// expect: all=holds
//
// case: the_round_before_of_a_loop_that_is_unrolled
// flags: -DLOOP -DLATE -O2
// expect: all=memory|data-race
//
// case: a_parameter_whose_reader_is_joined
// flags: -DPARAMETER -DJOINED
// expect: all=holds executions=1
//
// case: a_temporary_object
// flags: -DTEMPORARY
// expect: all=memory
//
// case: a_mutex
// flags: -DMUTEX
// expect: all=memory
//
// case: mains
// flags: -DMAINS
// expect: all=memory
//
// case: its_place_is_used_again
// flags: -DAGAIN
// expect: all=holds
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#ifdef INLINED
#define OUT_OF_LINE
#else
#define OUT_OF_LINE [[gnu::noinline]]
#endif
#ifndef ORDER
#define ORDER std::memory_order_seq_cst
#endif

static std::atomic<int> done;

static void leave(std::thread& t) {
#ifdef JOINED
  t.join();
#else
  t.detach();
#endif
}

OUT_OF_LINE static void captured() {
  int local = 3;
  std::thread t([&] {
    const int seen = local;
    done.store(seen);
  });
  leave(t);
}

OUT_OF_LINE static void atomic() {
  std::atomic<int> local{0};
  std::thread([&] {
    local.fetch_add(1, std::memory_order_relaxed);
    done.store(1);
  }).detach();
}

static void block() {
  {
    int local = 0;
    std::thread([&] {
      local = 1;
      done.store(1, ORDER);
    }).detach();
#ifdef WAITS
    while (done.load(ORDER) == 0) {
    }
#endif
  }
  while (done.load() == 0) {
  }
}

static std::atomic<int*> known;

// The other thread adds to the number of this round, or of one before.
static void loop() {
  std::thread other([] {
    for (int round = 0; round < 2; round++) {
      int* number;
      while ((number = known.load()) == nullptr) {
      }
      *number += 1;
#ifdef LATE
      known.store(nullptr);
      *number += 1;
#else
      known.store(nullptr);
#endif
    }
  });
  for (int round = 0; round < 2; round++) {
    int number = round;
    known.store(&number);
    while (known.load() != nullptr) {
    }
  }
  other.join();
}

OUT_OF_LINE static void parameter(int number) {
  std::thread t([&number] { number++; });
  leave(t);
}

struct text {
  explicit text(int n) : length(n) {}
  ~text() { length = 0; }
  int length;
};

static void remember(const text& t) {
  std::thread([&t] { done.store(t.length); }).detach();
}

static void mutex() {
  std::mutex local;
  std::thread([&] {
    local.lock();
    local.unlock();
  }).detach();
}

OUT_OF_LINE static int twice(int number) {
  std::thread other([&] { number *= 2; });
  other.join();
  return number;
}

int main() {
#if defined(CAPTURED)
  captured();
#elif defined(ATOMIC)
  atomic();
#elif defined(BLOCK)
  block();
#elif defined(LOOP)
  loop();
#elif defined(PARAMETER)
  parameter(1);
#elif defined(TEMPORARY)
  remember(text(3));
#elif defined(MUTEX)
  mutex();
#elif defined(MAINS)
  int local = 0;
  std::thread([&] { local = 1; }).detach();
#elif defined(AGAIN)
  return twice(1) + twice(2) - 6;
#endif
}
