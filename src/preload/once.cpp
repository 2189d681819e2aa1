// SPDX-License-Identifier: MIT
//
// pthread_once() and C11's call_once(), on fencepost::once_flag: all zeroes are PTHREAD_ONCE_INIT.
//
// An initialiser that is cancelled, or left by an exception as std::call_once() of libstdc++ has
// it, has not been called. Nor has one in the child of a fork() that another thread was at: each
// process counts the forks that it comes from, and a call is begun in that era.
//
// Source: POSIX.1-2017, pthread_once(); C11, 7.26.2.1; [thread.once.callonce].
#include <pthread.h>
#include <threads.h>

#include <atomic>
#include <cstdint>

#include "c_library/exported.hpp"
#include "c_library/unwind_hook.h"
#include "fencepost/once_flag.hpp"

namespace fencepost::preload {

namespace {

static_assert(sizeof(pthread_once_t) == sizeof(fencepost::once_flag) &&
              alignof(pthread_once_t) == alignof(fencepost::once_flag) &&
              sizeof(::once_flag) == sizeof(pthread_once_t) && PTHREAD_ONCE_INIT == 0);

// relaxed: changed in a process that has one thread.
constinit std::atomic<std::uint32_t> forks{0};

[[gnu::constructor]] void count_forks() {
  ::pthread_atfork(nullptr, nullptr,
                   []() noexcept { forks.fetch_add(1, std::memory_order_relaxed); });
}

fencepost::once_flag& own(pthread_once_t* control) noexcept {
  return *reinterpret_cast<fencepost::once_flag*>(control);
}

[[gnu::noinline]] void once_slowly(fencepost::once_flag& flag, void (*initialiser)()) {
  if (!flag.begin(forks.load(std::memory_order_relaxed))) return;
  fencepost_preload_call(
      initialiser, [](void* its) { static_cast<fencepost::once_flag*>(its)->abandon(); }, &flag);
  flag.finish();
}

inline void once(pthread_once_t* control, void (*initialiser)()) {
  fencepost::once_flag& flag = own(control);
  if (!flag.is_done()) [[unlikely]]
    once_slowly(flag, initialiser);
}

}  // namespace

}  // namespace fencepost::preload

int pthread_once(pthread_once_t* control, void (*initialiser)()) {
  fencepost::preload::once(control, initialiser);
  return 0;
}

void call_once(once_flag* flag, void (*initialiser)()) {
  fencepost::preload::once(&flag->__data, initialiser);
}
