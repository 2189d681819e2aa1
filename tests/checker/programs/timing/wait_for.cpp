// SPDX-License-Identifier: MIT
// The standard library's timed waits.
//
// case: condition_variable
// options: --timeouts
// expect: all=holds
//
// case: condition_variable_on_time
// flags: -DON_TIME
// options: --timeouts
// expect: all=violated:assertion at=late
//
// case: sleeping_orders_nothing
// flags: -DSLEEP
// expect: all=violated:data-race at=race
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

std::mutex mutex;
std::condition_variable changed;
bool ready = false;
int payload = 0;

int main() {
#ifdef SLEEP
  std::thread writer([] { payload = 42; });  // @race
  std::this_thread::sleep_for(std::chrono::seconds(1));
  assert(payload == 0 || payload == 42);  // @race
  writer.join();
#else
  std::thread waiter([] {
    std::unique_lock lock(mutex);
    [[maybe_unused]] const bool in_time =
        changed.wait_for(lock, std::chrono::milliseconds(5), [] { return ready; });
    assert(in_time == ready);
#ifdef ON_TIME
    assert(in_time);  // @late
#endif
  });
  {
    const std::lock_guard lock(mutex);
    ready = true;
  }
  changed.notify_one();
  waiter.join();
#endif
}
