// SPDX-License-Identifier: MIT
//
// What a condition variable has to know of mutexes.
#pragma once

#include <pthread.h>

#include "record/layout.hpp"

namespace fencepost::profiler {

/// The calling thread is about to wait with `mutex`, and releases it for that time. Its entry, or
/// null if it is not counted.
lock* leave_for_a_wait(thread& me, pthread_mutex_t* mutex, const void* from) noexcept;

}  // namespace fencepost::profiler
