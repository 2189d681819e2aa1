// SPDX-License-Identifier: MIT
//
// The tables behind diagnostics.hpp: what is known of each lock, and what each thread is doing.
//
// A lock's entry is found by its address, in a table that only grows. Its counts are changed mostly
// by whoever holds the lock, and read by anybody: relaxed atomics. A thread's record is changed by
// that thread alone, under a guard that a reader takes as well: a reader that holds the guard of a
// thread asleep keeps it inside lock(), and so keeps the lock in existence.
//
// Every atomic operation here is relaxed. What orders them are the guards: a thread writes itself
// into the entry of a lock before it changes its own record again, so that whoever reads the record
// under the guard, and then the entry, sees all that the thread held when it wrote the record.
#pragma once

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <new>
#include <type_traits>

#include "fencepost/futex.hpp"
#include "fencepost/spin_mutex.hpp"

namespace fencepost::diagnostics::detail {

/// Outlives the program's static objects, whoever holds it then.
using guard_mutex = basic_spin_mutex<unobserved, spin_mutex_tuning{.catch_misuse = false}>;

struct lock_entry {
  std::atomic<const void*> lock{nullptr};
  std::atomic<const char*> name{nullptr};  // null: none
  std::atomic<pid_t> holder{0};
  std::atomic<std::int64_t> held_since{0};
  std::atomic<std::uint64_t> acquisitions{0}, contended{0}, gave_up{0}, spins{0}, sleeps{0},
      wakeups{0}, hand_overs{0};
  std::atomic<std::int64_t> waited{0}, longest_wait{0};
};

enum class doing : unsigned char {
  nothing,     ///< with a recorded lock
  taking,      ///< inside lock() or try_lock(), at its first look
  contending,  ///< inside lock(), awake
  sleeping,    ///< inside lock(), about to sleep, asleep or just awake
  releasing    ///< inside unlock()
};

inline bool is_waiting(doing what) noexcept {
  return what == doing::contending || what == doing::sleeping;
}

struct thread_record {
  guard_mutex guard;
  pid_t thread = 0;  // 0: free
  doing what = doing::nothing;
  const void* lock = nullptr;
  const futex::word* on = nullptr;
  std::uint32_t value = 0;
  std::int64_t began = 0;    // of the wait
  std::uint64_t number = 0;  // of the wait, among those of this record
  std::uint64_t changes = 0;
};

inline constexpr std::size_t most_locks = 4096;
inline constexpr std::size_t most_threads = 1024;
inline constexpr std::size_t most_probes = 128;  // of the table, before a lock counts as not there

inline constinit std::array<lock_entry, most_locks> lock_table{};
inline constinit std::array<thread_record, most_threads> thread_table{};
inline constinit guard_mutex growing;  // whoever adds an entry or claims a record
inline constinit std::atomic<std::uint64_t> not_recorded{0};

inline std::int64_t now() noexcept {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

inline std::chrono::nanoseconds since(std::int64_t then) noexcept {
  return std::chrono::nanoseconds(now() - then);
}

inline std::size_t first_place(const void* lock) noexcept {
  // Fibonacci hashing: the high-order bits of the product depend on all of the address.
  return static_cast<std::size_t>((reinterpret_cast<std::uintptr_t>(lock) * 0x9E3779B97F4A7C15U) >>
                                  32) %
         most_locks;
}

/// The entry of a lock, or where it would be added, or null when that part of the table is full.
inline lock_entry* find(const void* lock) noexcept {
  std::size_t at = first_place(lock);
  for (std::size_t n = 0; n != most_probes; ++n, at = (at + 1) % most_locks) {
    const void* const there = lock_table[at].lock.load(std::memory_order_relaxed);
    if (there == lock || there == nullptr) return &lock_table[at];
  }
  return nullptr;
}

/// The entry of a lock; null when the table is full.
inline lock_entry* entry_of(const void* lock) noexcept {
  lock_entry* entry = find(lock);
  if (entry != nullptr && entry->lock.load(std::memory_order_relaxed) == nullptr) {
    const std::lock_guard alone(growing);
    entry = find(lock);  // it may have been added, or its place taken
    if (entry != nullptr) entry->lock.store(lock, std::memory_order_relaxed);
  }
  if (entry == nullptr) not_recorded.fetch_add(1, std::memory_order_relaxed);
  return entry;
}

inline void forget(const void* lock) noexcept {
  lock_entry* const entry = find(lock);
  if (entry == nullptr || entry->lock.load(std::memory_order_relaxed) == nullptr) return;
  constexpr auto relaxed = std::memory_order_relaxed;
  entry->name.store(nullptr, relaxed);
  entry->holder.store(0, relaxed);
  for (auto* count : {&entry->acquisitions, &entry->contended, &entry->gave_up, &entry->spins,
                      &entry->sleeps, &entry->wakeups, &entry->hand_overs}) {
    count->store(0, relaxed);
  }
  entry->waited.store(0, relaxed);
  entry->longest_wait.store(0, relaxed);
}

inline const char* name_of(const lock_entry& entry) noexcept {
  const char* const name = entry.name.load(std::memory_order_relaxed);
  return name == nullptr ? "" : name;
}

template <class Function>
void for_each_lock(Function function) {
  for (lock_entry& entry : lock_table) {
    if (entry.lock.load(std::memory_order_relaxed) != nullptr) function(entry);
  }
}

/// The calling thread's place in the table, given back when the thread ends.
class membership {
 public:
  ~membership() {
    if (record_ != nullptr) {
      const std::lock_guard in(record_->guard);
      record_->thread = 0;
      ++record_->changes;
    }
    record_ = nullptr;
    over_ = true;
  }

  /// Null when the table is full, and while the thread's last destructors run.
  thread_record* record() noexcept {
    if (record_ == nullptr && !over_) claim();
    return record_;
  }

  pid_t thread() noexcept {
    if (thread_ == 0) thread_ = static_cast<pid_t>(::syscall(SYS_gettid));
    return thread_;
  }

  /// In the child of a fork: the calling thread is the only one, and has a new number.
  void start_over() noexcept {
    for (thread_record& record : thread_table) new (&record) thread_record{};
    record_ = nullptr;
    thread_ = 0;
  }

 private:
  void claim() noexcept {
    const std::lock_guard alone(growing);
    for (thread_record& record : thread_table) {
      const std::lock_guard in(record.guard);
      if (record.thread == 0) {
        record.thread = thread();
        record.what = doing::nothing;
        ++record.changes;
        record_ = &record;
        return;
      }
    }
    not_recorded.fetch_add(1, std::memory_order_relaxed);
  }

  thread_record* record_ = nullptr;
  pid_t thread_ = 0;
  bool over_ = false;
};

static_assert(std::is_trivially_destructible_v<thread_record>);

inline thread_local membership self;

}  // namespace fencepost::diagnostics::detail
