// SPDX-License-Identifier: MIT
//
// Threads are seen when they begin, and counted as alive from then on, though a thread has an entry
// only from its first lock on.
//
// What a thread is to call waits for it in one of a few places, which are taken without a lock and
// without asking for memory. Where none is free, and where the C library itself begins a thread, it
// begins unseen: then nobody knows how long it lived (header::late_threads).
#include <pthread.h>
#include <threads.h>

#include <array>
#include <atomic>

#include "../preload/c_library/exported.hpp"
#include "../preload/c_library/real.hpp"
#include "record/process.hpp"

FENCEPOST_EXPORTED(pthread_create);
FENCEPOST_EXPORTED(thrd_create);

namespace fencepost::profiler {

namespace {

FENCEPOST_REAL(pthread_create);
FENCEPOST_REAL(thrd_create);

struct start {
  std::atomic<bool> is_taken;
  void (*function)();  // of the type that its creator knows
  void* argument;
};

constinit std::array<start, 1024> starts{};
constinit std::atomic<std::size_t> next{0};

start* take_start() noexcept {
  const std::size_t first = next.fetch_add(1, std::memory_order_relaxed);
  for (std::size_t n = 0; n != starts.size(); ++n) {
    start& one = starts[(first + n) % starts.size()];
    // acquire: pairs with the release in leave(): whoever had it has read what was there.
    if (!one.is_taken.exchange(true, std::memory_order_acquire)) return &one;
  }
  return nullptr;
}

void leave(start& one) noexcept {
  // release: pairs with the acquire in take_start().
  one.is_taken.store(false, std::memory_order_release);
}

/// The first function of a thread.
template <class Result>
Result begin(void* own) {
  current.began = now();
  start& one = *static_cast<start*>(own);
  const auto function = reinterpret_cast<Result (*)(void*)>(one.function);
  void* const argument = one.argument;
  leave(one);
  return function(argument);
}

/// Has create(function, argument) begin a thread, whose function may be begin() in its place.
template <class Result, class Create>
int begin_seen(Result (*function)(void*), void* argument, Create create) {
  const bool is_off = here.now.load(std::memory_order_relaxed) == state::off;
  start* const one = is_off ? nullptr : take_start();
  if (one == nullptr) return create(function, argument);
  one->function = reinterpret_cast<void (*)()>(function);
  one->argument = argument;
  const int error = create(begin<Result>, one);
  if (error != 0) leave(*one);
  return error;
}

}  // namespace

}  // namespace fencepost::profiler

using namespace fencepost::profiler;

int pthread_create(pthread_t* made, const pthread_attr_t* attributes, void* (*function)(void*),
                   void* argument) noexcept {
  return begin_seen(function, argument, [&](void* (*first)(void*), void* own) {
    return real_pthread_create(made, attributes, first, own);
  });
}

int thrd_create(thrd_t* made, thrd_start_t function, void* argument) {
  return begin_seen(function, argument, [&](thrd_start_t first, void* own) {
    return real_thrd_create(made, first, own);
  });
}
