// SPDX-License-Identifier: MIT
// More of the standard library: barrier, timed mutex, the number of processors, the clock.
//
// case: barrier
// flags: -DBARRIER
// expect: all=holds
//
// case: timed_mutex
// flags: -DTIMED
// expect: all=holds
//
// case: timed_mutex_may_time_out
// flags: -DTIMED
// options: --timeouts
// expect: all=violated:assertion at=late
//
// case: hardware_concurrency
// flags: -DPROCESSORS
// expect: all=holds|refused
//
// case: steady_clock
// flags: -DCLOCK
// expect: all=holds|refused
//
// case: shared_mutex
// flags: -DSHARED_MUTEX
// expect: all=holds|refused
#include <barrier>
#include <cassert>
#include <chrono>
#include <mutex>
#include <shared_mutex>
#include <thread>

#if defined(BARRIER)
int written[2] = {0, 0};
std::barrier meeting{2};
#elif defined(TIMED)
std::timed_mutex mutex;
#elif defined(SHARED_MUTEX)
std::shared_mutex shared_mutex;
int value = 0;
#endif

int main() {
#if defined(BARRIER)
  auto work = [](int me) {
    written[me] = 1;
    meeting.arrive_and_wait();
    assert(written[1 - me] == 1);
  };
  std::thread first(work, 0);
  std::thread second(work, 1);
  first.join();
  second.join();
#elif defined(TIMED)
  mutex.lock();
  std::thread other([] {
    assert(mutex.try_lock_for(std::chrono::seconds(1)));  // @late
    mutex.unlock();
  });
  mutex.unlock();
  other.join();
#elif defined(PROCESSORS)
  assert(std::thread::hardware_concurrency() < 100000);
#elif defined(CLOCK)
  const auto before = std::chrono::steady_clock::now();
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  assert(std::chrono::steady_clock::now() >= before);
#else
  std::thread writer([] {
    const std::unique_lock lock(shared_mutex);
    value = 1;
  });
  {
    const std::shared_lock lock(shared_mutex);
    assert(value == 0 || value == 1);
  }
  writer.join();
#endif
}
