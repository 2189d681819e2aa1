// SPDX-License-Identifier: MIT
// std::jthread asks its thread to stop when it is destroyed; std::condition_variable_any wakes for
// it; a std::stop_callback runs once, in who asks or in who comes too late.
//
// case: destroyed
// expect: all=holds
//
// case: nobody_asks
// flags: -DDETACHED_SOURCE
// expect: all=violated:lost-wakeup|deadlock
//
// case: callback
// flags: -DCALLBACK
// expect: all=holds
//
// case: callback_that_races
// flags: -DCALLBACK -DRACE
// expect: all=violated:data-race at=called
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

#ifdef CALLBACK
int called = 0;

int main() {
  std::stop_source source;
  std::thread other([&] { source.request_stop(); });
  {
    std::stop_callback callback(source.get_token(), [] {
      called++;  // @called
    });
#ifdef RACE
    called++;  // @called
#endif
  }
  other.join();
  assert(called <= 1);
}
#else
std::mutex mutex;
std::condition_variable_any changed;

int main() {
#ifdef DETACHED_SOURCE
  std::stop_source nobody;
#endif
  std::jthread worker([&](std::stop_token token) {
#ifdef DETACHED_SOURCE
    token = nobody.get_token();
#endif
    std::unique_lock lock(mutex);
    const bool told = changed.wait(lock, token, [] { return false; });
    assert(!told && token.stop_requested());
  });
}
#endif
