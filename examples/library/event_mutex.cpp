// SPDX-License-Identifier: MIT
//
// A table that many threads use and few wait for: the event mutex with asymmetric fences, whose
// unlock() has no barrier. It also shows a lock with a deadline, and how to go without the mutex
// before destroying it.
#include "fencepost/event_mutex.hpp"

#include <chrono>
#include <cstdio>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "fencepost/protocol/asymmetric.hpp"

namespace {

class table {
 public:
  void add(int key, int value) {
    const std::lock_guard guard(mutex_);
    entries_[key] += value;
  }

  /// False: somebody has held the table for too long.
  bool try_get(int key, int& value) {
    const std::unique_lock lock(mutex_, std::chrono::seconds(10));
    if (!lock) return false;
    value = entries_[key];
    return true;
  }

 private:
  fencepost::event_mutex<fencepost::protocol::asymmetric> mutex_;  // 8 bytes
  std::map<int, int> entries_;
};

}  // namespace

int main() {
  constexpr int threads = 4;
  constexpr int rounds = 10'000;
  int sum = 0;
  bool all_in_time = true;
  {
    table shared;
    std::vector<std::thread> workers;
    for (int n = 0; n != threads; ++n) {
      workers.emplace_back([&shared] {
        for (int key = 0; key != rounds; ++key) shared.add(key % 100, 1);
      });
    }
    for (std::thread& one : workers) one.join();
    for (int key = 0; key != 100; ++key) {
      int value = 0;
      all_in_time &= shared.try_get(key, value);
      sum += value;
    }
    // Every call of unlock() has returned, for the threads have: now the mutex may go.
  }
  std::printf("%d additions\n", sum);
  return all_in_time && sum == threads * rounds ? 0 : 1;
}
