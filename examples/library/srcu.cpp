// SPDX-License-Identifier: MIT
//
// Coroutines that read a configuration, wait for something and go on in another thread, still in
// their region: the configuration that they began with is not deleted before they are through.
#include "fencepost/srcu.hpp"

#include <atomic>
#include <coroutine>
#include <cstdio>
#include <exception>
#include <thread>
#include <vector>

namespace {

struct configuration : fencepost::rcu_obj_base<configuration> {
  explicit configuration(int n) : first(n), second(n) {}
  ~configuration() { second = -1; }
  int first;
  int second;
};

fencepost::srcu_domain domain;
std::atomic<configuration*> current{nullptr};
std::atomic<int> served{0};
std::atomic<int> mixed{0};

/// A coroutine that runs on its own and is gone when it is through.
struct request {
  struct promise_type {
    request get_return_object() noexcept { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() noexcept {}
    void unhandled_exception() noexcept { std::terminate(); }
  };
};

/// co_await: goes on in a thread of its own.
struct in_another_thread {
  std::vector<std::thread>& threads;
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> rest) const { threads.emplace_back(rest); }
  void await_resume() const noexcept {}
};

request serve(std::vector<std::thread>& threads) {
  const fencepost::srcu_region reading(domain);
  const configuration* const now = current.load(std::memory_order_acquire);
  const int first = now->first;
  co_await in_another_thread{threads};
  if (now->second != first) ++mixed;
  ++served;
}

}  // namespace

int main() {
  constexpr int requests = 200;
  current.store(new configuration(0), std::memory_order_release);
  rcu_batch_size(10, domain);
  std::vector<std::thread> threads;
  for (int n = 1; n <= requests; ++n) {
    serve(threads);
    current.exchange(new configuration(n), std::memory_order_acq_rel)->retire({}, domain);
  }
  for (std::thread& one : threads) one.join();
  current.exchange(nullptr)->retire({}, domain);
  rcu_barrier(domain);
  std::printf("%d requests served, %d saw two configurations\n", served.load(), mixed.load());
  return served == requests && mixed == 0 ? 0 : 1;
}
