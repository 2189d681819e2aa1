// SPDX-License-Identifier: MIT
//
// The spin locks of POSIX, counted, but for those that processes share. Nothing in the object tells
// those apart, nor has it room for a number: only what was seen to be initialised is counted.
#include <pthread.h>

#include <cerrno>

#include "../preload/c_library/exported.hpp"
#include "../preload/c_library/real.hpp"
#include "record/accounting.hpp"

namespace fencepost::profiler {

namespace {

FENCEPOST_REAL(pthread_spin_init);
FENCEPOST_REAL(pthread_spin_destroy);
FENCEPOST_REAL(pthread_spin_lock);
FENCEPOST_REAL(pthread_spin_trylock);
FENCEPOST_REAL(pthread_spin_unlock);

const void* address(pthread_spinlock_t* word) noexcept { return const_cast<const int*>(word); }

lock* entry_of(pthread_spinlock_t* word) noexcept {
  lock* const found = find_lock(address(word));
  return found != nullptr && found->kind == static_cast<std::uint32_t>(kind::spin) ? found
                                                                                   : nullptr;
}

}  // namespace

}  // namespace fencepost::profiler

using namespace fencepost::profiler;

#define HERE __builtin_return_address(0)

int pthread_spin_init(pthread_spinlock_t* word, int shared) noexcept {
  const int error = real_pthread_spin_init(word, shared);
  if (error == 0 && shared == PTHREAD_PROCESS_PRIVATE) initialised(address(word), kind::spin, HERE);
  return error;
}

int pthread_spin_destroy(pthread_spinlock_t* word) noexcept {
  const int error = real_pthread_spin_destroy(word);
  if (error == 0) destroyed(address(word));
  return error;
}

int pthread_spin_lock(pthread_spinlock_t* word) noexcept {
  lock* const one = entry_of(word);
  thread* const me = one != nullptr ? this_thread() : nullptr;
  if (me == nullptr) return real_pthread_spin_lock(word);
  return take(
      *me, *one, HERE, mode::alone, EBUSY,
      [&]() noexcept { return real_pthread_spin_trylock(word); },
      [&]() noexcept { return real_pthread_spin_lock(word); });
}

int pthread_spin_trylock(pthread_spinlock_t* word) noexcept {
  lock* const one = entry_of(word);
  thread* const me = one != nullptr ? this_thread() : nullptr;
  if (me == nullptr) return real_pthread_spin_trylock(word);
  return try_to_take(*me, *one, HERE, mode::alone,
                     [&]() noexcept { return real_pthread_spin_trylock(word); });
}

int pthread_spin_unlock(pthread_spinlock_t* word) noexcept {
  lock* const one = entry_of(word);
  thread* const me = one != nullptr ? this_thread() : nullptr;
  if (me != nullptr) releasing(*me, *one);
  return real_pthread_spin_unlock(word);
}
