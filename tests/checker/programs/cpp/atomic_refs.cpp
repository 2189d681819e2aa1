// SPDX-License-Identifier: MIT
// std::atomic_ref: objects that are atomic for a while, and what must be aligned for it.
//
// case: atomic_while_there_are_threads
// expect: all=holds executions=2
//
// case: read_plainly_too_early
// flags: -DTOO_EARLY
// expect: all=violated:data-race at=early
//
// case: misaligned_across_words
// flags: -DOFFSET=6
// expect: all=inconclusive at=misaligned says="4 bytes at a misaligned address"
//
// case: misaligned_within_a_word
// flags: -DOFFSET=1
// expect: all=inconclusive at=misaligned says="4 bytes at a misaligned address"
//
// case: waits_and_is_notified
// flags: -DWAITS
// expect: all=holds
//
// case: waits_and_is_not_notified
// flags: -DWAITS -DSILENT
// expect: all=violated:lost-wakeup
#include <atomic>
#include <cassert>
#include <cstring>
#include <thread>

alignas(16) unsigned char bytes[16];
alignas(std::atomic_ref<int>::required_alignment) int plain = 1;

int main() {
#if defined(OFFSET)
  int* const crooked = reinterpret_cast<int*>(bytes + OFFSET);
  std::atomic_ref<int>(*crooked).store(1);  // @misaligned
#elif defined(WAITS)
  std::thread worker([] { std::atomic_ref<int>(plain).wait(1); });
  std::atomic_ref<int>(plain).store(2);
#ifndef SILENT
  std::atomic_ref<int>(plain).notify_one();
#endif
  worker.join();
#else
  plain++;
  std::thread worker([] {
    std::atomic_ref<int>(plain).fetch_add(1, std::memory_order_relaxed);  // @early
  });
  std::atomic_ref<int>(plain).fetch_add(1, std::memory_order_relaxed);
#ifdef TOO_EARLY
  assert(plain >= 3);  // @early
#endif
  worker.join();
  assert(plain == 4);
#endif
}
