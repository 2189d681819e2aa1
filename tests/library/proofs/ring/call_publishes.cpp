// SPDX-License-Identifier: MIT
//
// Who was called finds what was published before the call, at its first look. The caller has no
// fence here: the call alone carries it.
#include <pthread.h>

#include <atomic>
#include <cassert>

#include "fencepost/ring/waiting_room.hpp"
#include "small_rings.hpp"

namespace {

using room_type = fencepost::detail::waiting_room<fencepost::futex::scope::process, sleepy>;

room_type room;
std::atomic<int> published{0};

void* call(void*) {
  published.store(1, std::memory_order_relaxed);
  room.call_one();
  return nullptr;
}

}  // namespace

int main() {
  const room_type::ticket own = room.announce();
  pthread_t caller;
  pthread_create(&caller, nullptr, call, nullptr);
  const bool called = room.sleep(own, fencepost::detail::no_deadline{});
  assert(called);
  assert(published.load(std::memory_order_relaxed) == 1);
  pthread_join(caller, nullptr);
  return 0;
}
