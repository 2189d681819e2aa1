// SPDX-License-Identifier: MIT
//
// What is checked of every protocol: the real mutex, the real event, and the smallest clients that
// can lose a wake-up. `fencepost study event-mutex` checks them all; one alone is
//
//     cd study && ../fencepost check event_mutex/check.cpp -- -I. -DFENCEPOST_CLIENT=2
//         -DFENCEPOST_PROTOCOL_HEADER='"event_mutex/trunk.hpp"'
//         -DFENCEPOST_PROTOCOL=fencepost::study::trunk
//
// A thread that sleeps with nothing left to wake it is found by the checker itself; the counter is
// plain, so that a failure of mutual exclusion is a data race as well as a wrong sum. The mutex
// does not spin and tries once after the announcement: every try more adds executions and no new
// one without it, for a thread may always lose the earlier tries.
#include <pthread.h>

#include <cassert>
#include <iterator>

#include "fencepost/detail/event.hpp"
#include "fencepost/event_mutex.hpp"

#ifdef FENCEPOST_PROTOCOL_HEADER
#include FENCEPOST_PROTOCOL_HEADER
#else
#define FENCEPOST_PROTOCOL fencepost::protocol::seq_cst
#endif
#ifndef FENCEPOST_CLIENT
#define FENCEPOST_CLIENT 1
#endif
#ifndef FENCEPOST_RETRIES
#define FENCEPOST_RETRIES 1
#endif

namespace {

constexpr fencepost::event_mutex_tuning tuning{
    .sync_spin_loops = 0, .retries = FENCEPOST_RETRIES, .catch_misuse = false};

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
void holder() {
  mutex.lock();
  together(release, once);
  assert(counter == 1);
}

/// Two come at the same time.
void pair() {
  together(once, once);
  assert(counter == 2);
}

/// One comes back while the other may be asleep: the flag is cleared and raised again.
void again() {
  together(twice, once);
  assert(counter == 3);
}

/// One holds the mutex, two want it.
void crowd() {
  mutex.lock();
  together(release, once, once);
  assert(counter == 2);
}

/// Three come at the same time.
void three() {
  together(once, once, once);
  assert(counter == 3);
}

/// X, Y, Z and W of 13 July as they are written down there, each doing what is said of it and no
/// more, with the protocol and the event alone. Z holds the lock and finds the flag raised by one
/// who has given up waiting; it lets go and is still to clear the flag, Y passes through, X and W
/// announce themselves. W gives up, too: if it locked and unlocked in the end, it would find the
/// flag raised and wake X itself.
namespace as_drawn {

FENCEPOST_PROTOCOL protocol;
fencepost::event event;

void let_go() {
  if (protocol.unlock()) event.set();
}

bool announce_and_try() {
  return protocol.announce_then([] { return protocol.try_lock(); });
}

void* x(void*) {
  const auto epoch = event.reset();
  if (announce_and_try()) {
    let_go();
  } else {
    event.wait(epoch);
  }
  return nullptr;
}

void* y(void*) {
  if (protocol.try_lock()) let_go();
  return nullptr;
}

void* z(void*) {
  let_go();
  return nullptr;
}

void* w(void*) {
  static_cast<void>(event.reset());
  if (announce_and_try()) let_go();
  return nullptr;
}

void drawn() {
  const bool locked = protocol.try_lock();
  assert(locked);
  static_cast<void>(protocol.announce_then([] { return false; }));
  together(z, y, x, w);
}

}  // namespace as_drawn

constexpr void (*clients[])() = {holder, pair, again, crowd, three, as_drawn::drawn};

}  // namespace

/// The number of a client, if given, is that of the one to run.
int main(int argc, char** argv) {
  const unsigned client = argc > 1 ? static_cast<unsigned>(argv[1][0] - '0') : FENCEPOST_CLIENT;
  assert(client < std::size(clients));
  clients[client]();
  return 0;
}
