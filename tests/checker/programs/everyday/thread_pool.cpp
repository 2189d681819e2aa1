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
//
// case: two_results
// flags: -DRESULTS=2
// expect: all=holds executions=17520
//
// case: result_by_reference
// flags: -DRESULTS=1 -DBY_REFERENCE
// expect: all=violated:data-race at=changed
//
// case: result_of_a_pool_that_is_full_for_ever
// flags: -DRESULTS=1 -DWAITS_INSIDE
// expect: all=violated:lost-wakeup says="waits for the future"
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <memory>
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

  std::future<int> result_of(std::function<int()> function) {
    auto task = std::make_shared<std::packaged_task<int()>>(std::move(function));
    auto result = task->get_future();
    run([task] { (*task)(); });
    return result;
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
#if defined(WAITS_INSIDE)
  // The only thread waits for what only it could do.
  thread_pool pool(1);
  auto outer = pool.result_of([&pool] { return pool.result_of([] { return 1; }).get(); });
  return outer.get() - 1;
#elif defined(BY_REFERENCE)
  int changed = 0;
  thread_pool pool(1);
  auto result = pool.result_of([&changed] {
    changed = 1;  // @changed
    return 0;
  });
  if (changed == 1) return result.get();  // @changed
#elif defined(RESULTS)
  std::vector<std::future<int>> results;
  thread_pool pool(2);
  for (int i = 0; i < RESULTS; i++) results.push_back(pool.result_of([i] { return i; }));
  int sum = 0;
  for (auto& result : results) sum += result.get();
  assert(sum == RESULTS * (RESULTS - 1) / 2);
#else
  int done = 0;
  {
    thread_pool pool(2);
    pool.run([&done] { done += 1; });
  }
  assert(done == 1);
#endif
}
