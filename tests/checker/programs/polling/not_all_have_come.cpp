// SPDX-License-Identifier: MIT
// Where a loop has rounds without end, executions with few events are looked at first. Who has no
// more of them waits for nobody, and who waits for him is not stuck.
//
// case: joined
// flags: -DROUNDS=400
// expect: c++20=holds
//
// case: and_something_is_wrong_at_the_end
// flags: -DROUNDS=400 -DWRONG
// expect: c++20=violated:assertion
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

static std::mutex mutex;
static std::atomic<int> last;

int main() {
  std::thread worker([] {
    const std::lock_guard lock(mutex);
    for (int i = 1; i <= ROUNDS; ++i) last.store(i, std::memory_order_relaxed);
  });
  worker.join();
  const std::lock_guard lock(mutex);
#ifdef WRONG
  assert(last != ROUNDS);
#else
  assert(last == ROUNDS);
#endif
}
