// SPDX-License-Identifier: MIT
// Where and how urgently threads run, which changes nothing: in what order they may run is explored
// as a whole. The program's calls are sent here (redefined-symbols.txt).
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/types.h>

#include <cstddef>

#include "interface/c_library/touched.hpp"
#include "interface/threads/threads.hpp"

using fencepost::checker::must_be_a_thread;
using fencepost::checker::reads;
using fencepost::checker::writes;

namespace {

// Processor 0, where all threads run (sched_getcpu).
int processors(cpu_set_t* set, std::size_t size, std::uint64_t pc) {
  if (size < sizeof(unsigned long)) return EINVAL;
  writes(set, size, pc);
  memset(set, 0, size);
  CPU_SET_S(0, size, set);
  return 0;
}

// Is any processor among them? A program may ask for whichever it likes.
bool has_processor(std::size_t size, const cpu_set_t* set, std::uint64_t pc) {
  reads(set, size, pc);
  return CPU_COUNT_S(size, set) != 0;
}

void usual_policy(int* policy, sched_param* parameters, std::uint64_t pc) {
  if (policy != nullptr) {
    writes(policy, sizeof *policy, pc);
    *policy = SCHED_OTHER;
  }
  writes(parameters, sizeof *parameters, pc);
  *parameters = {};
}

}  // namespace

extern "C" {

int fencepost_pthread_setaffinity_np(pthread_t thread, std::size_t size, const cpu_set_t* set) {
  must_be_a_thread(thread, FENCEPOST_PC());
  return has_processor(size, set, FENCEPOST_PC()) ? 0 : EINVAL;
}
int fencepost_pthread_getaffinity_np(pthread_t thread, std::size_t size, cpu_set_t* set) {
  must_be_a_thread(thread, FENCEPOST_PC());
  return processors(set, size, FENCEPOST_PC());
}
int fencepost_sched_setaffinity(pid_t, std::size_t size, const cpu_set_t* set) {
  if (has_processor(size, set, FENCEPOST_PC())) return 0;
  errno = EINVAL;
  return -1;
}
int fencepost_sched_getaffinity(pid_t, std::size_t size, cpu_set_t* set) {
  if (const int error = processors(set, size, FENCEPOST_PC())) {
    errno = error;
    return -1;
  }
  return 0;
}

// Of CPU_COUNT().
int fencepost___sched_cpucount(std::size_t size, const cpu_set_t* set) {
  reads(set, size, FENCEPOST_PC());
  return CPU_COUNT_S(size, set);
}

int fencepost_pthread_setschedparam(pthread_t thread, int, const sched_param* parameters) {
  must_be_a_thread(thread, FENCEPOST_PC());
  reads(parameters, sizeof *parameters, FENCEPOST_PC());
  return 0;
}
int fencepost_pthread_getschedparam(pthread_t thread, int* policy, sched_param* parameters) {
  must_be_a_thread(thread, FENCEPOST_PC());
  usual_policy(policy, parameters, FENCEPOST_PC());
  return 0;
}
int fencepost_pthread_setschedprio(pthread_t thread, int) {
  must_be_a_thread(thread, FENCEPOST_PC());
  return 0;
}
int fencepost_sched_setscheduler(pid_t, int, const sched_param* parameters) {
  reads(parameters, sizeof *parameters, FENCEPOST_PC());
  return 0;
}
int fencepost_sched_getscheduler(pid_t) { return SCHED_OTHER; }
int fencepost_sched_setparam(pid_t, const sched_param* parameters) {
  reads(parameters, sizeof *parameters, FENCEPOST_PC());
  return 0;
}
int fencepost_sched_getparam(pid_t, sched_param* parameters) {
  usual_policy(nullptr, parameters, FENCEPOST_PC());
  return 0;
}
int fencepost_setpriority(int, unsigned, int) { return 0; }
int fencepost_getpriority(int, unsigned) { return 0; }
int fencepost_nice(int) { return 0; }

}  // extern "C"
