// SPDX-License-Identifier: MIT
// Who notifies again and again until it is heard loses no wake-up, though a single one may come too
// early. Who notifies somebody else does.
//
// A notification that comes while the stop is not seen yet may be followed by another: under C++
// there is no end to that.
//
// case: condition
// expect: c++20=holds|inconclusive x86=holds sc=holds
//
// case: plain_wait
// flags: -DPLAIN_WAIT
// expect: all=holds
//
// case: futex
// flags: -DFUTEX
// expect: all=holds
//
// case: another_condition
// flags: -DOTHER=other
// expect: all=violated:lost-wakeup
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#ifndef OTHER
#define OTHER changed
#endif

static std::mutex m;
static std::condition_variable changed;
[[maybe_unused]] static std::condition_variable other;
static std::atomic<bool> stop{false};
static std::atomic<bool> gone{false};
#ifdef FUTEX
static std::atomic<int> word{0};
#endif

static void work() {
#if defined FUTEX
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, nullptr, nullptr, 0);
#else
  std::unique_lock<std::mutex> lock(m);
#ifdef PLAIN_WAIT
  changed.wait(lock);
#else
  while (!stop.load()) changed.wait(lock);
#endif
#endif
  gone.store(true);
}

int main() {
  std::thread worker(work);
  stop.store(true);
#ifdef FUTEX
  while (!gone.load()) syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
#else
  while (!gone.load()) OTHER.notify_all();
#endif
  worker.join();
}
