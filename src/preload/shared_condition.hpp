// SPDX-License-Identifier: MIT
//
// Condition variables that processes share: glibc's, whose other users may be other processes that
// know nothing of this library.
//
// With a mutex that is glibc's too, all is glibc's. With one of ours, which processes cannot share,
// a mutex of glibc's stands in for it: a waiter takes that, frees its own mutex, and waits with it;
// whoever notifies takes it first, and so comes before the waiter gave up its mutex or after it
// sleeps. There are a few of them, by the address of the condition variable.
#pragma once

#include <pthread.h>

#include <ctime>

namespace fencepost::preload {

/// pthread_cond_wait(), _timedwait() or _clockwait(), by which of `deadline` and `clock` are there.
int shared_wait(pthread_cond_t* condition, pthread_mutex_t* mutex, const clockid_t* clock,
                const timespec* deadline) noexcept;
int shared_signal(pthread_cond_t* condition) noexcept;
int shared_broadcast(pthread_cond_t* condition) noexcept;

}  // namespace fencepost::preload
