// SPDX-License-Identifier: MIT
// The exit of a mutex that stores, then looks for waiters, against an enter that announces, then
// looks again and sleeps on an epoch: store buffering with a sleeper at the end of it.
//
// case: store_release_then_load_acquire
// expect: c++20=violated:lost-wakeup x86=violated:lost-wakeup sc=holds at=sleep
//
// case: store_seq_cst_only
// flags: -DUNLOCK=seq_cst
// expect: c++20=violated:lost-wakeup x86=holds sc=holds at=sleep
//
// case: everything_seq_cst
// flags: -DUNLOCK=seq_cst -DLOOK=seq_cst -DANNOUNCE=seq_cst -DTRY=seq_cst
// expect: all=holds
//
// case: fences_on_both_sides
// flags: -DFENCES
// expect: all=holds
//
// case: fence_on_one_side
// flags: -DEXIT_FENCE
// expect: c++20=violated:lost-wakeup x86=holds sc=holds at=sleep
//
// case: exchange_the_lock_word
// flags: -DUNLOCK_BY_EXCHANGE
// expect: c++20=violated:lost-wakeup x86=holds sc=holds at=sleep
//
// case: exchange_the_lock_word_and_try_with_acq_rel
// flags: -DUNLOCK_BY_EXCHANGE -DTRY=acq_rel
// expect: all=holds
//
// case: exchange_both_waiters_sides
// flags: -DANNOUNCE_BY_EXCHANGE -DLOOK_BY_EXCHANGE
// expect: all=holds
//
// case: no_second_look
// flags: -DUNLOCK=seq_cst -DLOOK=seq_cst -DANNOUNCE=seq_cst -DTRY=seq_cst -DNO_RETRY
// expect: all=violated:lost-wakeup at=sleep
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cassert>
#include <thread>

#ifndef UNLOCK
#define UNLOCK release
#endif
#ifndef LOOK
#define LOOK acquire
#endif
#ifndef ANNOUNCE
#define ANNOUNCE release
#endif
#ifndef TRY
#define TRY acquire
#endif
#define ORDER_(name) std::memory_order_##name
#define ORDER(name) ORDER_(name)

std::atomic<bool> locked{true};
std::atomic<bool> waiters{false};
std::atomic<int> epoch{0};

bool try_lock() { return !locked.exchange(true, ORDER(TRY)); }

void enter() {
  while (!try_lock()) {
    const int reserved = epoch.load(std::memory_order_acquire);
#ifdef ANNOUNCE_BY_EXCHANGE
    waiters.exchange(true, std::memory_order_acq_rel);
#else
    waiters.store(true, ORDER(ANNOUNCE));
#endif
#ifdef FENCES
    std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
#ifndef NO_RETRY
    if (try_lock()) return;
#endif
    syscall(SYS_futex, &epoch, FUTEX_WAIT_PRIVATE, reserved, nullptr, nullptr, 0);  // @sleep
  }
}

void leave() {
#ifdef UNLOCK_BY_EXCHANGE
  locked.exchange(false, std::memory_order_acq_rel);
#else
  locked.store(false, ORDER(UNLOCK));
#endif
#if defined(FENCES) || defined(EXIT_FENCE)
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
#ifdef LOOK_BY_EXCHANGE
  if (waiters.exchange(false, std::memory_order_acq_rel)) {
#else
  if (waiters.load(ORDER(LOOK))) {
    waiters.store(false, std::memory_order_relaxed);
#endif
    epoch.fetch_add(1, std::memory_order_release);
    syscall(SYS_futex, &epoch, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
  }
}

int main() {
  // The first owner is main: the mutex starts locked.
  std::thread other([] { enter(); });
  leave();
  other.join();
  assert(locked.load());
}
