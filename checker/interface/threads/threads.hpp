// SPDX-License-Identifier: MIT
// What POSIX threads, C11 threads and std::thread have in common; `pc` is the line to name.
#pragma once

#include <pthread.h>
#include <time.h>

#include "execution/execution.hpp"
#include "execution/lifetimes/mapped.hpp"
#include "execution/threads/thread_specific.hpp"
#include "interface/entry.hpp"

namespace fencepost::checker {

// Locks and "once" flags of libraries are none of the program's business: the C++ runtime has some
// for its exceptions. Nobody can come in between, for threads take turns only at what is modelled.
inline bool modelled(const volatile void* object) {
  if (!exploring()) return false;
  if (execution.is_program_memory(address_of(object))) return true;
  must_exist(address_of(object), "a use of a lock or the like", execution.entered_from);
  return false;
}

// There is one process to explore: what is to be shared among several is this one's alone.
inline void note_sharing(int shared) {
  if (shared == PTHREAD_PROCESS_SHARED) execution.counters.process_shared = 1;
}

unsigned create_thread(const Birth& birth, std::uint64_t pc);
// The caller asks for its own number.
inline unsigned own_number(std::uint64_t pc) {
  if (!exploring()) return 0;
  if (execution.options.symmetry) execution.symmetry.asks_for_itself(pc);
  return execution.current->id;
}
// Before main that is the main thread's.
inline ThreadSpecific::OfThread& own_specific() {
  return thread_specific.use(exploring() ? execution.current->id : 0);
}
int join_thread(pthread_t thread, void** result, std::uint64_t pc);
int detach_thread(pthread_t thread, std::uint64_t pc);
// It is a violation if there is no such thread, or if it has been joined, or is detached and has
// ended: its number is nobody's then.
void must_be_a_thread(pthread_t thread, std::uint64_t pc);
// Over what was there before, whatever it was.
int make_mutex(pthread_mutex_t* mutex, const pthread_mutexattr_t* attributes, std::uint64_t pc);
int make_condition(pthread_cond_t* condition, std::uint64_t pc);
// `may_repeat`: called from an entry point that kept the registers, see execution/loops/loops.cpp.
int lock_mutex(pthread_mutex_t* mutex, std::uint64_t pc, bool may_repeat);
int timed_lock_mutex(pthread_mutex_t* mutex, const timespec* deadline, std::uint64_t pc);
// Time passes for the caller.
void sleep_for(const timespec* duration, std::uint64_t pc);
// By whose time the C library waits. Of other clocks it says EINVAL,
inline bool is_waited_by(clockid_t clock) {
  return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC;
}
// and so do it and the kernel of other times. The kernel takes none before 1970.
inline bool is_valid(const timespec* time) {
  return time->tv_nsec >= 0 && time->tv_nsec < 1'000'000'000;
}
inline bool is_valid_for_kernel(const timespec* time) {
  return time->tv_sec >= 0 && is_valid(time);
}
// A wait has run out of time: the thread's clock shows at least this.
void let_time_pass_until(const timespec* deadline);
// Is it not in the future?
bool has_passed(const timespec* deadline);
// ... or does a timed wait take that long here?
bool runs_out_of_time(const timespec* deadline, std::uint64_t pc);
int try_lock_mutex(pthread_mutex_t* mutex, std::uint64_t pc, bool may_repeat);
int unlock_mutex(pthread_mutex_t* mutex, std::uint64_t pc);
// `deadline`: nullptr for none. `binds`: to wait with several mutexes is forbidden.
int wait_on_condition(pthread_cond_t* condition, pthread_mutex_t* mutex, const timespec* deadline,
                      bool binds, std::uint64_t pc);

int wake_on_condition(pthread_cond_t* condition, unsigned count, std::uint64_t pc);

}  // namespace fencepost::checker
