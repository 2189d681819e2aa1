// SPDX-License-Identifier: MIT
//
// The file of this process (layout.hpp), and how its entries are found and made.
//
// Everything here may run before the first constructor, inside malloc(), in the child of a fork()
// and in a signal handler: nothing is allocated but by mmap(), and no lock of the program is taken.
#pragma once

#include <atomic>
#include <cstdint>

#include "layout.hpp"

namespace fencepost::profiler {

/// What the calling thread knows of itself beyond what the file says of it.
struct current_thread {
  thread* entry;           // null: not known yet, or nothing is recorded
  lock* releasing;         // whose unlock is running
  std::uint64_t began;     // since when it lives, where that was seen; or 0
  std::uint64_t sleeping;  // since when it sleeps, or slept when it was cancelled; or 0
  std::uint32_t forks;     // the kernel's number of the thread, while it is in fork(); or 0
  bool is_internal;        // it makes an entry: its own locks and sleeps are nobody's business
  bool is_left_out;        // the table of threads was full
};

extern thread_local constinit current_thread current;

/// The calling thread's entry; null where nothing is recorded. Makes it, and the file, if need be.
thread* this_thread_slowly() noexcept;

inline thread* this_thread() noexcept {
  if (current.entry != nullptr) [[likely]]
    return current.entry;
  return this_thread_slowly();
}

std::uint32_t number_of(const lock& one) noexcept;
std::uint32_t number_of(const thread& one) noexcept;

/// The number of the place behind the call at `address`.
std::uint32_t site_of(const void* address) noexcept;

/// `from`, or where that lies in C++'s standard library, the place that called it. The calling
/// thread has an entry.
const void* outside_standard_library(const void* from) noexcept;

/// The entry of the lock at `object`, wherever the last one was made for it: `cached` is a word
/// inside the object, zero at its initialisation, that nobody else uses.
lock& lock_with_cache(const void* object, kind what, const void* from,
                      std::atomic<std::uint32_t>& cached) noexcept;

/// The entry of the lock at `object`.
lock& lock_at(const void* object, kind what, const void* from) noexcept;

/// The same, or null if it has none.
lock* find_lock(const void* object) noexcept;

/// A lock is initialised at `object` by a call from `from`, and whatever was there is gone. Its
/// number, or 0.
std::uint32_t initialised(const void* object, kind what, const void* from) noexcept;

/// The lock at `object` is no more.
void destroyed(const void* object) noexcept;

/// The number of the calls that have led to `from`, where the calling thread waits for `one`; 0
/// where nobody asked for them.
std::uint32_t stack_to(const lock& one, const void* from) noexcept;

/// Adds a wait of so many nanoseconds; nothing for number 0.
void add_to_stack(std::uint32_t entry, std::uint64_t waited) noexcept;

/// CLOCK_MONOTONIC in nanoseconds.
std::uint64_t now() noexcept;

}  // namespace fencepost::profiler
