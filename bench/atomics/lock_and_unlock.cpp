// SPDX-License-Identifier: MIT
//
// What an object's lock costs, as the library compiles it: same source, same options.
#include "lock_and_unlock.hpp"

#include FENCEPOST_ATOMIC_LOCK

namespace {

using fencepost::atomics::lock;
constinit lock one;

}  // namespace

void bench_lock(void* taken) noexcept { static_cast<lock*>(taken)->acquire(); }
void bench_unlock(void* taken) noexcept { static_cast<lock*>(taken)->release(); }
void* bench_free_lock() noexcept { return &one; }
