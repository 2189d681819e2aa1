// SPDX-License-Identifier: MIT
// IREE's queue of many producers: an index from the future, subtracted from one of the past.
// https://github.com/iree-org/iree/pull/23707
//
// A producer takes the difference of the position up to which entries are reserved and the one up
// to which they are read, and subtracts it from the capacity to know what is free. The first load
// is relaxed: it may see reservations that others made in room that this thread has not seen become
// free. The difference is then larger than the queue, the unsigned subtraction wraps round, and
// entries are reserved over one that nobody has read.
//
// The repair loads the other way round and tells a difference that is too large. The order of the
// loads alone would make it worse: then interleaving suffices.
//
// case: broken
// expect: c++20=violated:assertion x86=holds sc=holds at=room
//
// case: the_loads_swapped_and_no_guard
// flags: -DSWAPPED
// expect: all=violated:assertion at=room
//
// case: repaired
// flags: -DREPAIRED
// expect: all=holds
#include <atomic>
#include <cassert>
#include <thread>

constexpr unsigned capacity = 1;
std::atomic<unsigned> reserved{1};  // the queue is full: one entry, not yet read
std::atomic<unsigned> read_up_to{0};

unsigned room(unsigned reserve_position, unsigned read_position) {
  const unsigned used = reserve_position - read_position;
#ifdef REPAIRED
  if (used > capacity) return 0;
#endif
  return capacity - used;
}

void produce() {
  for (;;) {
#if defined(SWAPPED) || defined(REPAIRED)
    const unsigned read_position = read_up_to.load(std::memory_order_acquire);
    unsigned position = reserved.load(std::memory_order_relaxed);
#else
    unsigned position = reserved.load(std::memory_order_relaxed);
    const unsigned read_position = read_up_to.load(std::memory_order_acquire);
#endif
    if (room(position, read_position) == 0) return;  // full, says the caller
    if (reserved.compare_exchange_weak(position, position + 1, std::memory_order_relaxed)) {
      assert(position - read_up_to.load() < capacity);  // @room
      return;
    }
  }
}

int main() {
  std::thread first(produce);
  std::thread second(produce);
  read_up_to.store(1, std::memory_order_release);  // the consumer reads the one entry
  first.join();
  second.join();
}
