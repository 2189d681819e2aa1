// SPDX-License-Identifier: MIT
//
// A sleeper is not overtaken for ever. Once it was woken in vain `patience` times, here once, and
// goes back to sleep, a thread that has the mutex then and comes back to it as fast as it can does
// not get it again before the sleeper has had it.
//
// The sleeper cannot tell why it woke, so the runner counts the wake-ups, and its turns; that count
// may lack the turn that it is in. The counts are compared as they stand at one moment, for which
// what a thread wrote before one read-modify-write must be seen after a later one of another. The
// mutex does not need that: it is one word, whose changes have one order under every model.
//
// expect: x86,sc=holds
// case: as_it_is
// case: never_out_of_patience -DPATIENCE=1000000
// expect: x86,sc=violated
#include <atomic>
#include <cassert>
#include <thread>

#include "sleepy_mutex.hpp"

#ifndef PATIENCE
#define PATIENCE 1
#endif

namespace {

constexpr int nothing_yet = -1;

std::atomic<int> turns{0};     // how often the runner has had the mutex
std::atomic<int> wake_ups{0};  // how often it has woken the sleeper
thread_local bool is_sleeper = false;
int turns_before = nothing_yet;  // `turns` when the sleeper ran out of patience

struct counting : fencepost::unobserved {
  static constexpr bool enabled = true;

  static void woke(const void*, int threads) noexcept {
    if (is_sleeper || threads == 0) return;
    wake_ups.store(wake_ups.load(std::memory_order_relaxed) + threads, std::memory_order_relaxed);
  }

  static void sleeping(const void*, const fencepost::futex::word&, std::uint32_t) noexcept {
    if (!is_sleeper || turns_before != nothing_yet) return;
    if (wake_ups.load(std::memory_order_relaxed) == 0) return;
    turns_before = turns.load(std::memory_order_relaxed);
  }
};

constexpr fencepost::mutex_tuning tuning = [] {
  fencepost::mutex_tuning tuned = sleepy;
  tuned.patience = PATIENCE;
  return tuned;
}();

fencepost::basic_mutex<counting, fencepost::futex::scope::process, tuning> door;

}  // namespace

int main() {
  door.lock();
  std::thread sleeper([] {
    is_sleeper = true;
    door.lock();
    const int seen = turns.load(std::memory_order_relaxed);
    if (turns_before != nothing_yet) assert(seen - turns_before <= 1);
    door.unlock();
  });
  for (int n = 1; n <= 3; ++n) {
    if (n != 1) door.lock();
    turns.store(n, std::memory_order_relaxed);
    door.unlock();
  }
  sleeper.join();
}
