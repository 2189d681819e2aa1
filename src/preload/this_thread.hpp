// SPDX-License-Identifier: MIT
//
// Who the calling thread is, to a lock that knows its owner. No two threads have the same name,
// also one after the other, and in processes that share memory:
//
//     lower half  which thread of its process it is: counted, and no number is given twice
//     upper half  the kernel's number, which no other thread has while this one lives
//
// A thread that forks goes on in the child with its own lower half and another upper half. So the
// child is not the owner of what the parent's thread has, which may be in memory that they share.
// It may unlock it: that is all that POSIX has a child do with a mutex of the forking thread's.
#pragma once

#include <atomic>
#include <cstdint>

namespace fencepost::preload {

using thread_name = std::uint64_t;

inline constexpr thread_name nobody = 0;

/// The calling thread's; nobody until it is asked for. Atomic for a signal handler's sake.
inline constinit thread_local std::atomic<thread_name> own_name{nobody};

thread_name name_this_thread() noexcept;

inline thread_name this_thread() noexcept {
  const thread_name own = own_name.load(std::memory_order_relaxed);
  return own != nobody ? own : name_this_thread();
}

/// Whether the calling thread is `one`, or was before it forked this process off.
inline bool is_or_was(thread_name one) noexcept {
  return static_cast<std::uint32_t>(one) == static_cast<std::uint32_t>(this_thread());
}

}  // namespace fencepost::preload
