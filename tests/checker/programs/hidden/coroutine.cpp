// SPDX-License-Identifier: MIT
// A coroutine's local variables lie on the heap, even those that only the coroutine itself knows,
// and whoever resumes it accesses them.
//
// case: handed_over_by_clang
// flags: -DORDER=std::memory_order_acquire
// options: --cc clang-14
// expect: all=holds executions=2
//
// case: handed_over_without_order_by_clang
// flags: -DORDER=std::memory_order_relaxed
// options: --cc clang-14
// expect: c++20=data-race
//
// case: handed_over_without_order_by_clang_2
// flags: -O2 -DORDER=std::memory_order_relaxed
// options: --cc clang-14
// expect: c++20=data-race
#include <pthread.h>

#include <atomic>
#include <coroutine>
#include <exception>

struct task {
  struct promise_type {
    task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  std::coroutine_handle<promise_type> handle;
};

static std::atomic<bool> suspended;
static std::atomic<int> sum;

static task work() {
  for (int own = 1; own < 3; ++own) {
    sum.fetch_add(own, std::memory_order_relaxed);
    co_await std::suspend_always{};
  }
}

static void* go_on(void* place) {
  if (suspended.load(ORDER)) static_cast<task*>(place)->handle.resume();
  return nullptr;
}

int main() {
  task one = work();
  pthread_t other;
  pthread_create(&other, nullptr, go_on, &one);
  one.handle.resume();
  suspended.store(true, std::memory_order_release);
  pthread_join(other, nullptr);
  one.handle.destroy();
}
