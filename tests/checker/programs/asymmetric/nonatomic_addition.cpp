// SPDX-License-Identifier: MIT
// A counter with one writer who does not lock the bus, and a flag that others set in it. The writer
// may overwrite the flag, but not once a heavy fence has passed: who finds it then may count on it.
//
// case: flag_may_be_lost
// flags: -DFENCE=0 -DTRIES=1
// expect: all=violated:assertion at=lost
//
// case: flag_found_after_a_plain_fence_may_be_lost
// flags: -DFENCE=1 -DTRIES=1
// expect: all=violated:assertion at=lost
//
// case: flag_found_after_a_heavy_fence_is_not
// flags: -DFENCE=2 -DTRIES=1
// expect: all=holds executions=4
//
// case: flag_found_after_a_heavy_fence_is_not_if_there_is_more_counting
// flags: -DFENCE=2 -DTRIES=2
// expect: all=holds
//
// case: wide_counter
// flags: -DFENCE=2 -DTRIES=2 -DWORD=std::uint64_t
// expect: all=holds
//
// case: two_writers_lose_an_addition
// flags: -DTWO_WRITERS -DFENCE=2 -DTRIES=1
// expect: all=violated:assertion at=sum
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cassert>
#include <cstdint>
#include <thread>

#include "fencepost/instrumentation.hpp"

#ifndef WORD
#define WORD std::uint32_t
#endif

namespace {

using word = WORD;
using fencepost::instrumentation::nonatomic_fetch_add;

constexpr word flag = word{1} << (8 * sizeof(word) - 1);
std::atomic<word> counter;

void count() {
  for (int i = 0; i < TRIES; ++i) nonatomic_fetch_add(counter, word{1});
}

void fence() {
  if (FENCE == 1) std::atomic_thread_fence(std::memory_order_seq_cst);
  if (FENCE == 2) assert(syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0) == 0);
}

}  // namespace

int main() {
  static_assert(fencepost::instrumentation::checking);
  std::thread writer(count);
#ifdef TWO_WRITERS
  count();
  writer.join();
  assert(counter.load(std::memory_order_relaxed) == 2 * TRIES);  // @sum
#else
  counter.fetch_or(flag, std::memory_order_relaxed);
  fence();
  const bool found = (counter.load(std::memory_order_relaxed) & flag) != 0;
  writer.join();
  const word now = counter.load(std::memory_order_relaxed);
  assert((now & ~flag) == TRIES);
  if (found) assert((now & flag) != 0);  // @lost
#endif
}
