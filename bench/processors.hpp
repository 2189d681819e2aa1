// SPDX-License-Identifier: MIT
//
// Which processors a benchmark runs on, and what it used of them.
#pragma once

#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>

#include <cstddef>
#include <vector>

namespace bench {

/// Those that this process may run on. Asked once: a program asks before any thread is pinned and
/// its children inherit less.
inline const std::vector<int>& allowed_processors() {
  static const std::vector<int> all = [] {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    std::vector<int> found;
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0)
      for (int cpu = 0; cpu != CPU_SETSIZE; ++cpu)
        if (CPU_ISSET(cpu, &allowed)) found.push_back(cpu);
    if (found.empty()) found.push_back(0);
    return found;
  }();
  return all;
}

inline int processors() { return static_cast<int>(allowed_processors().size()); }

/// Puts the calling thread on one of the processors(), counted round and round. False where pinning
/// is forbidden; the measurement goes on unpinned.
inline bool pin(int processor) {
  cpu_set_t one;
  CPU_ZERO(&one);
  const auto& all = allowed_processors();
  CPU_SET(all[static_cast<std::size_t>(processor) % all.size()], &one);
  return pthread_setaffinity_np(pthread_self(), sizeof one, &one) == 0;
}

inline double cpu_seconds(int who) {
  rusage used{};
  getrusage(who, &used);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

/// CPU time used so far by the calling thread, by the whole process.
inline double thread_cpu_seconds() { return cpu_seconds(RUSAGE_THREAD); }
inline double process_cpu_seconds() { return cpu_seconds(RUSAGE_SELF); }

}  // namespace bench
