// SPDX-License-Identifier: MIT
// A futex written at home: the value must be compared under the lock of the queue, for otherwise
// the wake falls between the comparison and the sleep.
//
// case: inside
// expect: all=holds
//
// case: outside
// flags: -DOUTSIDE
// expect: all=violated:lost-wakeup
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

class queue {
 public:
  void wait(const std::atomic<int>& word, int expected) {
#ifdef OUTSIDE
    if (word.load(std::memory_order_relaxed) != expected) return;
    std::unique_lock lock(mutex_);
#else
    std::unique_lock lock(mutex_);
    if (word.load(std::memory_order_relaxed) != expected) return;
#endif
    sleepers_++;
    const int awaited = wakes_ + 1;
    woken_.wait(lock, [&] { return wakes_ >= awaited; });
  }

  void wake_one() {
    const std::lock_guard lock(mutex_);
    if (sleepers_ == 0) return;
    sleepers_--;
    wakes_++;
    woken_.notify_one();
  }

 private:
  std::mutex mutex_;
  std::condition_variable woken_;
  int sleepers_ = 0;
  int wakes_ = 0;
};

queue sleepers;
std::atomic<int> word{0};

int main() {
  std::thread waiter([] {
    while (word.load(std::memory_order_acquire) == 0) sleepers.wait(word, 0);
  });
  word.store(1, std::memory_order_release);
  sleepers.wake_one();
  waiter.join();
}
