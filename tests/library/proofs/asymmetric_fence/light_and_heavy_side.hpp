// SPDX-License-Identifier: MIT
//
// A thread with a light fence between its store and its load, and one with a heavy fence: what each
// of them saw. The fences are those within a process, or with INTERPROCESS those between processes.
#pragma once

#include <pthread.h>

#include <atomic>

#include "fencepost/asymmetric_fence.hpp"

namespace proof {

inline std::atomic<int> x{0};
inline std::atomic<int> y{0};
inline int light_saw;
inline int heavy_saw;
/// Whether the heavy fence reached the other side, as far as it can say.
inline bool reached;

inline void light_fence() {
#ifdef INTERPROCESS
  fencepost::interprocess_asymmetric_thread_fence_light();
#else
  fencepost::asymmetric_thread_fence_light();
#endif
}

inline void heavy_fence() {
#ifdef INTERPROCESS
  reached = fencepost::interprocess_asymmetric_thread_fence_heavy();
#else
  fencepost::asymmetric_thread_fence_heavy();
  reached = true;
#endif
}

inline void* light(void*) {
  x.store(1, std::memory_order_relaxed);
  light_fence();
  light_saw = y.load(std::memory_order_relaxed);
  return nullptr;
}

inline void* heavy(void*) {
  y.store(1, std::memory_order_relaxed);
  heavy_fence();
  heavy_saw = x.load(std::memory_order_relaxed);
  return nullptr;
}

inline void meet() {
  pthread_t threads[2];
  pthread_create(&threads[0], nullptr, light, nullptr);
  pthread_create(&threads[1], nullptr, heavy, nullptr);
  for (const pthread_t thread : threads) pthread_join(thread, nullptr);
}

}  // namespace proof
