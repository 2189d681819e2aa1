// SPDX-License-Identifier: MIT
//
// What is checked of every protocol: the real mutex, the real event, and the smallest clients that
// can lose a wake-up. Compiled with
//
//     -DFENCEPOST_PROTOCOL_HEADER='"event_mutex/trunk.hpp"'
//     -DFENCEPOST_PROTOCOL=fencepost::study::trunk  -DFENCEPOST_CLIENT=pair
//
// A thread that sleeps with nothing left to wake it is found by the checker itself; the counter is
// plain, so that a failure of mutual exclusion is a data race as well as a wrong sum. The mutex
// does not spin and tries once after the announcement: every try more adds executions and no new
// one without it, for a thread may always lose the earlier tries.
#include <pthread.h>

#include <cassert>

#include "fencepost/event_mutex.hpp"

#ifdef FENCEPOST_PROTOCOL_HEADER
#include FENCEPOST_PROTOCOL_HEADER
#else
#define FENCEPOST_PROTOCOL fencepost::protocol::seq_cst
#endif
#ifndef FENCEPOST_CLIENT
#define FENCEPOST_CLIENT pair
#endif
#ifndef FENCEPOST_RETRIES
#define FENCEPOST_RETRIES 1
#endif

namespace {

constexpr fencepost::event_mutex_tuning tuning{
    .spin_rounds = 0, .spin_pauses = 0, .retries = FENCEPOST_RETRIES, .catch_misuse = false};

fencepost::event_mutex<FENCEPOST_PROTOCOL, tuning> mutex;
int counter = 0;

void* once(void*) {
  mutex.lock();
  ++counter;
  mutex.unlock();
  return nullptr;
}

void* twice(void*) {
  once(nullptr);
  return once(nullptr);
}

/// Locks if that needs no waiting.
void* at_once(void*) {
  if (mutex.try_lock()) {
    ++counter;
    mutex.unlock();
  }
  return nullptr;
}

void* release(void*) {
  mutex.unlock();
  return nullptr;
}

template <class... thread>
void together(thread... threads) {
  void* (*const bodies[])(void*) = {threads...};
  pthread_t ids[sizeof...(threads)];
  for (unsigned n = 0; n != sizeof...(threads); ++n) {
    const int failed = pthread_create(&ids[n], nullptr, bodies[n], nullptr);
    assert(failed == 0);
  }
  for (const pthread_t id : ids) pthread_join(id, nullptr);
}

/// One holds the mutex, one wants it.
[[maybe_unused]] void holder() {
  mutex.lock();
  together(release, once);
  assert(counter == 1);
}

/// Two come at the same time.
[[maybe_unused]] void pair() {
  together(once, once);
  assert(counter == 2);
}

/// One comes back while the other may be asleep: the flag is cleared and raised again.
[[maybe_unused]] void again() {
  together(twice, once);
  assert(counter == 3);
}

/// One holds the mutex, two want it.
[[maybe_unused]] void crowd() {
  mutex.lock();
  together(release, once, once);
  assert(counter == 2);
}

/// Three come at the same time.
[[maybe_unused]] void three() {
  together(once, once, once);
  assert(counter == 3);
}

/// X, Y, Z and W of 13 July: Z lets go and is still to clear the flag, Y passes through, X and W
/// announce themselves.
[[maybe_unused]] void x_y_z_w() {
  mutex.lock();
  together(release, at_once, once, once);
  assert(counter == 2 || counter == 3);
}

}  // namespace

int main() {
  FENCEPOST_CLIENT();
  return 0;
}
