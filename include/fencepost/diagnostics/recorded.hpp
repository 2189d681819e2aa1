// SPDX-License-Identifier: MIT
//
// The Observer that records, and what a lock's calls become: see diagnostics.hpp.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <mutex>

#include "fencepost/diagnostics/registry.hpp"
#include "fencepost/observer.hpp"

namespace fencepost::diagnostics {

/// The Observer of a lock that is to be recorded. Its functions are for locks to call.
struct recorded : unobserved {
  static constexpr bool enabled = true;
  static void taking(const void* lock) noexcept;
  static void contending(const void* lock) noexcept;
  static void acquired(const void* lock, unsigned spins, unsigned sleeps) noexcept;
  static void gave_up(const void* lock, unsigned spins, unsigned sleeps) noexcept;
  static void releasing(const void* lock) noexcept;
  static void sleeping(const void* lock, const futex::word& on, std::uint32_t value) noexcept;
  static void awake(const void* lock) noexcept;
  static void woke(const void* lock, int threads) noexcept;
  static void handed_over(const void* lock) noexcept;
};

namespace detail {

inline constexpr auto relaxed = std::memory_order_relaxed;

// The parent's threads are not the child's. Locks that they held stay held in the child, too: by
// threads that do not exist there, which is what a report should say.
inline const int fork_handler = ::pthread_atfork([] { growing.lock(); }, [] { growing.unlock(); },
                                                 [] {
                                                   growing.unlock();
                                                   self.start_over();
                                                 });

inline void change(const void* lock, doing what, const futex::word* on = nullptr,
                   std::uint32_t value = 0) noexcept {
  thread_record* const record = self.record();
  if (record == nullptr) return;
  const std::lock_guard in(record->guard);
  if (is_waiting(what) && !(is_waiting(record->what) && record->lock == lock)) {
    record->began = now();
    ++record->number;
  }
  record->what = what;
  record->lock = lock;
  record->on = on;
  record->value = value;
  ++record->changes;
}

/// How long the wait was that the calling thread has just ended.
inline std::int64_t end_of_wait(const void* lock) noexcept {
  thread_record* const record = self.record();
  if (record == nullptr) return 0;
  std::int64_t took = 0;
  // Unguarded: the thread reads what it alone writes.
  if (is_waiting(record->what) && record->lock == lock) took = now() - record->began;
  if (record->what != doing::nothing) change(nullptr, doing::nothing);
  return took;
}

inline void count_wait(lock_entry& entry, std::int64_t took, unsigned spins,
                       unsigned sleeps) noexcept {
  entry.spins.fetch_add(spins, relaxed);
  entry.sleeps.fetch_add(sleeps, relaxed);
  entry.waited.fetch_add(took, relaxed);
  std::int64_t longest = entry.longest_wait.load(relaxed);
  while (took > longest && !entry.longest_wait.compare_exchange_weak(longest, took, relaxed)) {
    continue;
  }
}

inline void let_go(const void* lock) noexcept {
  change(lock, doing::releasing);
  if (lock_entry* const entry = entry_of(lock)) entry->holder.store(0, relaxed);
}

}  // namespace detail

inline void recorded::taking(const void* lock) noexcept {
  detail::change(lock, detail::doing::taking);
  // Whoever sleeps because this thread has the lock should be seen no earlier than this record. On
  // x86-64 and AArch64 it is so: the guard is released before the lock is taken by an acquiring
  // operation, and neither processor swaps the two. C++ does not promise it; elsewhere a lock may
  // for a moment be called free that is not.
}

inline void recorded::contending(const void* lock) noexcept {
  detail::change(lock, detail::doing::contending);
}

inline void recorded::acquired(const void* lock, unsigned spins, unsigned sleeps) noexcept {
  using detail::relaxed;
  // The entry first: whoever sees this thread's next record must find what it holds.
  if (detail::lock_entry* const entry = detail::entry_of(lock)) {
    entry->holder.store(detail::self.thread(), relaxed);
    entry->held_since.store(detail::now(), relaxed);
    entry->acquisitions.fetch_add(1, relaxed);
    const std::int64_t took = detail::end_of_wait(lock);
    if (took != 0 || spins != 0 || sleeps != 0) {
      entry->contended.fetch_add(1, relaxed);
      detail::count_wait(*entry, took, spins, sleeps);
    }
  } else {
    detail::end_of_wait(lock);
  }
}

inline void recorded::gave_up(const void* lock, unsigned spins, unsigned sleeps) noexcept {
  const std::int64_t took = detail::end_of_wait(lock);
  if (detail::lock_entry* const entry = detail::entry_of(lock)) {
    entry->gave_up.fetch_add(1, detail::relaxed);
    detail::count_wait(*entry, took, spins, sleeps);
  }
}

inline void recorded::releasing(const void* lock) noexcept { detail::let_go(lock); }

inline void recorded::handed_over(const void* lock) noexcept {
  detail::let_go(lock);
  if (detail::lock_entry* const entry = detail::entry_of(lock)) {
    entry->hand_overs.fetch_add(1, detail::relaxed);
  }
}

inline void recorded::sleeping(const void* lock, const futex::word& on,
                               std::uint32_t value) noexcept {
  detail::change(lock, detail::doing::sleeping, &on, value);
}

inline void recorded::awake(const void* lock) noexcept {
  detail::change(lock, detail::doing::contending);
}

inline void recorded::woke(const void* lock, int threads) noexcept {
  // By its address alone: the lock may be gone, and its entry be another's by now.
  if (threads > 0) {
    if (detail::lock_entry* const entry = detail::entry_of(lock)) {
      entry->wakeups.fetch_add(static_cast<unsigned>(threads), detail::relaxed);
    }
  }
  detail::change(nullptr, detail::doing::nothing);
}

}  // namespace fencepost::diagnostics
