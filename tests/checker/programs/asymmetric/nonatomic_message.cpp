// SPDX-License-Identifier: MIT
// A non-atomic addition is an acquire load and a release store; its plain neighbours go with it.
//
// case: publishes
// expect: all=holds
//
// case: a_relaxed_reader_races
// flags: -DORDER=memory_order_relaxed
// expect: all=violated:data-race at=read
//
// case: acquires
// flags: -DSWAPPED
// expect: all=holds
#include <atomic>
#include <cassert>
#include <cstdint>
#include <thread>

#include "fencepost/instrumentation.hpp"

#ifndef ORDER
#define ORDER memory_order_acquire
#endif

using fencepost::instrumentation::nonatomic_fetch_add;

namespace {
std::atomic<std::uint32_t> count;
int message;
}  // namespace

int main() {
  std::thread writer([] {
    message = 1;
#ifdef SWAPPED
    count.store(1, std::memory_order_release);
#else
    nonatomic_fetch_add(count, std::uint32_t{1});
#endif
  });
#ifdef SWAPPED
  const bool there = nonatomic_fetch_add(count, std::uint32_t{4}) == 1;
#else
  const bool there = count.load(std::ORDER) == 1;
#endif
  if (there) assert(message == 1);  // @read
  writer.join();
}
