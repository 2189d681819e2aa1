// SPDX-License-Identifier: MIT
// A thread pool as in every second project: a deque of functions, a mutex, a condition variable.
//
// case: drains_before_it_stops
// options: --leaks
// expect: all=holds
//
// case: stop_flag_outside_the_mutex
// flags: -DSTOP_OUTSIDE
// expect: all=violated:lost-wakeup
//
// case: stop_without_notify_all
// flags: -DNOTIFY=notify_one
// expect: all=violated:lost-wakeup
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#ifndef NOTIFY
#define NOTIFY notify_all
#endif

class thread_pool {
 public:
  explicit thread_pool(int threads) {
    for (int i = 0; i < threads; i++) {
      threads_.emplace_back([this] { work(); });
    }
  }

  ~thread_pool() {
#ifdef STOP_OUTSIDE
    stop_ = true;
#else
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
#endif
    changed_.NOTIFY();
    for (auto& thread : threads_) thread.join();
  }

  void run(std::function<void()> task) {
    {
      const std::lock_guard lock(mutex_);
      tasks_.push_back(std::move(task));
    }
    changed_.notify_one();
  }

 private:
  void work() {
    for (;;) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return stop_ || !tasks_.empty(); });
      if (tasks_.empty()) return;
      auto task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      task();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  std::atomic<bool> stop_{false};
  std::vector<std::thread> threads_;
};

int main() {
  int done = 0;
  {
    thread_pool pool(2);
    pool.run([&done] { done += 1; });
  }
  assert(done == 1);
}
