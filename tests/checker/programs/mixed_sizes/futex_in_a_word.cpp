// SPDX-License-Identifier: MIT
// A semaphore in 64 bits: its value in the low half, on which threads sleep, the number of waiters
// in the high half; both are changed at once.
//
// case: semaphore
// expect: c++20=holds
// expect: c++14=holds
// expect: x86=holds
//
// case: waiters_are_not_looked_at
// flags: -DLOSES
// expect: c++20=violated:lost-wakeup
// expect: c++14=violated:lost-wakeup
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <thread>

alignas(8) static std::uint64_t word;
static constexpr std::uint64_t waiter = std::uint64_t{1} << 32;

static std::uint32_t* value() { return reinterpret_cast<std::uint32_t*>(&word); }

static bool take() {
  std::atomic_ref<std::uint32_t> low(*value());
  std::uint32_t now = low.load(std::memory_order_relaxed);
  while (now != 0) {
    if (low.compare_exchange_strong(now, now - 1, std::memory_order_acquire)) return true;
  }
  return false;
}

static void wait() {
  if (take()) return;
  std::atomic_ref<std::uint64_t>(word).fetch_add(waiter, std::memory_order_seq_cst);
  while (!take()) syscall(SYS_futex, value(), FUTEX_WAIT_PRIVATE, 0, nullptr, nullptr, 0);
  std::atomic_ref<std::uint64_t>(word).fetch_sub(waiter, std::memory_order_relaxed);
}

static void post() {
#ifdef LOSES
  const std::uint64_t before = std::atomic_ref<std::uint64_t>(word).load(std::memory_order_relaxed);
  std::atomic_ref<std::uint32_t>(*value()).fetch_add(1, std::memory_order_release);
#else
  const std::uint64_t before =
      std::atomic_ref<std::uint64_t>(word).fetch_add(1, std::memory_order_seq_cst);
#endif
  if (before >= waiter) syscall(SYS_futex, value(), FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

int main() {
  std::thread other(post);
  wait();
  other.join();
}
