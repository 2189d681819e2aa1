// SPDX-License-Identifier: MIT
// Loops that write plain variables in each round, and are back where they were all the same: a
// queue that remembers the other side's index, a flag that is set and taken back, a note that one
// has looked. Who looks at them in between races.
//
// case: a_queue_that_remembers_the_other_index
// flags: -DQUEUE
// expect: c++20=holds x86=holds executions=56
// expect: sc=holds executions=46
//
// case: the_same_published_without_order
// flags: -DQUEUE -DPUBLISH=std::memory_order_relaxed
// expect: c++20=data-race
//
// case: a_flag_is_taken_back
// flags: -DFLAG
// expect: all=holds executions=2
//
// case: somebody_looks_at_the_flag
// flags: -DFLAG -DLOOKS
// expect: all=data-race
//
// case: that_one_has_looked
// flags: -DNOTE
// expect: all=violated:assertion at=note
//
// case: how_often_one_has_looked
// flags: -DCOUNT
// expect: all=violated:assertion at=count
#include <atomic>
#include <cassert>
#include <cstddef>
#include <thread>

#ifndef PUBLISH
#define PUBLISH std::memory_order_release
#endif

namespace {

struct queue {
  int slots[2] = {};
  alignas(64) std::atomic<std::size_t> head{0};
  std::size_t remembered_tail = 0;  // the taker's
  alignas(64) std::atomic<std::size_t> tail{0};
  std::size_t remembered_head = 0;  // the giver's

  bool push(int value) {
    const std::size_t at = tail.load(std::memory_order_relaxed);
    if (at - remembered_head == 2) {
      remembered_head = head.load(std::memory_order_acquire);
      if (at - remembered_head == 2) return false;
    }
    slots[at % 2] = value;
    tail.store(at + 1, PUBLISH);
    return true;
  }
  bool pop(int& value) {
    const std::size_t at = head.load(std::memory_order_relaxed);
    if (at == remembered_tail) {
      remembered_tail = tail.load(std::memory_order_acquire);
      if (at == remembered_tail) return false;
    }
    value = slots[at % 2];
    head.store(at + 1, std::memory_order_release);
    return true;
  }
};

queue between;
std::atomic<bool> ready;
int busy;
int* const shown = &busy;

}  // namespace

int looks;
// In no register of the loop's.
[[gnu::noinline]] static void count() { looks = (looks + 1) % 4; }

int main() {
#if defined(QUEUE)
  std::thread giver([] {
    for (int i = 0; i < 3; i++) {
      while (!between.push(i)) {
      }
    }
  });
  for (int i = 0; i < 3; i++) {
    int value;
    while (!between.pop(value)) {
    }
    assert(value == i);
  }
  giver.join();
#else
  std::thread other([] {
#ifdef LOOKS
    assert(*shown <= 1);
#endif
    ready.store(true, std::memory_order_release);
  });
  while (!ready.load(std::memory_order_acquire)) {
#if defined(FLAG)
    *shown = 1;
    *shown = 0;
#elif defined(NOTE)
    looks = 1;
#elif defined(COUNT)
    count();
#endif
  }
#if defined(NOTE)
  assert(looks == 0);  // @note
#elif defined(COUNT)
  assert(looks != 3);  // @count
#endif
  other.join();
#endif
}
