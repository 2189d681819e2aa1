// SPDX-License-Identifier: MIT
//
// Threads of a measurement are spread over the processors. Left to itself the kernel likes to put
// threads that wake each other on the same one, where none sees the other's store buffer.
#pragma once

#include <pthread.h>
#include <sched.h>

namespace fencepost::study {

/// Binds the calling thread to the n-th of the processors that it may use, counted round and round.
inline void move_to_processor(unsigned n) {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  const int count = CPU_COUNT(&allowed);
  int skip = static_cast<int>(n) % count;
  for (int processor = 0; processor != CPU_SETSIZE; ++processor) {
    if (!CPU_ISSET(processor, &allowed) || skip-- != 0) continue;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(processor, &one);
    pthread_setaffinity_np(pthread_self(), sizeof one, &one);
    return;
  }
}

}  // namespace fencepost::study
