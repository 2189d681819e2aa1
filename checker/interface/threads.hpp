// SPDX-License-Identifier: MIT
// What POSIX threads, C11 threads and std::thread have in common; `pc` is the line to name.
#pragma once

#include <pthread.h>
#include <time.h>

#include "interface/entry.hpp"

namespace fencepost::checker {

unsigned create_thread(void* (*function)(void*), void* argument, bool detached, std::uint64_t pc);
int join_thread(pthread_t thread, void** result, std::uint64_t pc);
// `may_repeat`: called from an entry point that kept the registers, see program/loops.cpp.
int lock_mutex(pthread_mutex_t* mutex, std::uint64_t pc, bool may_repeat);
int timed_lock_mutex(pthread_mutex_t* mutex, const timespec* deadline, std::uint64_t pc);
// A wait has run out of time: the thread's clock shows at least this.
void let_time_pass_until(const timespec* deadline);
int try_lock_mutex(pthread_mutex_t* mutex, std::uint64_t pc, bool may_repeat);
int unlock_mutex(pthread_mutex_t* mutex, std::uint64_t pc);
// `deadline`: nullptr for none.
int wait_on_condition(pthread_cond_t* condition, pthread_mutex_t* mutex, const timespec* deadline,
                      std::uint64_t pc);

}  // namespace fencepost::checker
