// SPDX-License-Identifier: MIT
//
// What happens at the locks, counted: see fencepost/atomic_instrumentation.h. Without
// FENCEPOST_ATOMIC_STATISTICS all of this is empty, and no instruction is left of it.
//
// The counts of a lock are written by the thread that has it, so they are exact and need no
// read-modify-write; only loads without a lock and new objects do. What is slow about the build is
// that they are written at all.
#pragma once

#include <cstdint>

#include "../types.hpp"
#include "fencepost/futex.hpp"
#include "fencepost/observer.hpp"

namespace fencepost::atomics {

#if defined(FENCEPOST_ATOMIC_STATISTICS)

/// The calling thread has just taken a lock of the table, for which it has looked and slept so
/// often; the sleeps that failed are among those, and counted besides.
void count_acquisition(const void* lock, unsigned spins, unsigned sleeps) noexcept;
void count_failed_sleeps(const void* lock, unsigned sleeps) noexcept;
/// It has loaded an object without a lock, after so many attempts in vain.
void count_load(uintptr_t object, unsigned in_vain) noexcept;
/// It is about to use an object that has locks.
void note_object(uintptr_t address) noexcept;

/// One thread's way to one lock.
class acquisition {
 public:
  static constexpr bool is_counted = true;

  /// It found the lock taken, and looks again.
  void spun() noexcept { ++spins_; }
  /// It went to sleep, or tried to: in vain where the lock's word had changed before.
  void slept(futex::outcome came) noexcept {
    ++sleeps_;
    if (came == futex::outcome::changed) ++failed_;
  }
  void succeeded(const void* lock) const noexcept {
    count_acquisition(lock, spins_, sleeps_);
    count_failed_sleeps(lock, failed_);
  }

 private:
  unsigned spins_ = 0;
  unsigned sleeps_ = 0;
  unsigned failed_ = 0;
};

/// The same for the library's own mutexes.
struct lock_observer : unobserved {
  static constexpr bool enabled = true;
  static void acquired(const void* lock, unsigned spins, unsigned sleeps) noexcept {
    count_acquisition(lock, spins, sleeps);
  }
  static void stayed_awake(const void* lock) noexcept { count_failed_sleeps(lock, 1); }
};

#else

inline void count_load(uintptr_t, unsigned) noexcept {}
inline void note_object(uintptr_t) noexcept {}

class acquisition {
 public:
  static constexpr bool is_counted = false;
  void spun() noexcept {}
  void slept(futex::outcome) noexcept {}
  void succeeded(const void*) const noexcept {}
};

using lock_observer = unobserved;

#endif

}  // namespace fencepost::atomics
