// SPDX-License-Identifier: MIT
// Unikraft's futex_wait: the value is compared, then the queue is locked.
// https://github.com/unikraft/unikraft/pull/1763
// The same in Zephyr: https://github.com/zephyrproject-rtos/zephyr/pull/105859
//
// The whole point of a futex is that comparing and queueing are one step to those who wake.
// Compared before the queue is locked, a change and its wake fall in between: the queue is empty
// when it is searched for sleepers, and the thread lies down behind it. Interleaving alone does it.
//
// case: broken
// expect: all=violated:lost-wakeup
//
// case: repaired
// flags: -DREPAIRED
// expect: all=holds
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

class futex_queue {
 public:
  void wait(const std::atomic<int>& word, int expected) {
#ifndef REPAIRED
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

futex_queue sleepers;
std::atomic<int> word{0};

int main() {
  std::thread waiter([] {
    while (word.load(std::memory_order_acquire) == 0) sleepers.wait(word, 0);
  });
  word.store(1, std::memory_order_release);
  sleepers.wake_one();
  waiter.join();
}
