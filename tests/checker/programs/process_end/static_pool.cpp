// SPDX-License-Identifier: MIT
// A thread pool that is a static object: its destructor, after main, stops and joins the worker.
//
// case: made_when_first_used
// flags: -DLOCAL
// expect: all=holds
//
// case: stop_flag_outside_the_mutex
// flags: -DSTOP_OUTSIDE
// expect: all=violated:lost-wakeup at=wait
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

class thread_pool {
 public:
  thread_pool() = default;
  ~thread_pool() {
#ifdef STOP_OUTSIDE
    stop_ = true;
#else
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
#endif
    changed_.notify_all();
    worker_.join();
    assert(done == 1);
  }

  void start() {
    worker_ = std::thread([this] { work(); });
  }

  void run(std::function<void()> task) {
    {
      const std::lock_guard lock(mutex_);
      tasks_.push_back(std::move(task));
    }
    changed_.notify_one();
  }

  int done = 0;

 private:
  void work() {
    for (;;) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return stop_ || !tasks_.empty(); });  // @wait
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
  std::thread worker_;
};

#ifdef LOCAL
thread_pool& pool() {
  static thread_pool instance;
  return instance;
}
#else
thread_pool instance;
thread_pool& pool() { return instance; }
#endif

int main() {
  pool().start();
  pool().run([] { pool().done++; });
}
