// SPDX-License-Identifier: MIT
//
// What libstdc++ is made of: the counts of shared_ptr and weak_ptr, atomic<shared_ptr>, call_once,
// statics that are initialised once, a future's state, a stop token, a semaphore, a latch.
#include <atomic>
#include <cstdio>
#include <future>
#include <latch>
#include <memory>
#include <mutex>
#include <semaphore>
#include <stop_token>
#include <thread>
#include <vector>

namespace {

constexpr int threads = 4, turns = 3000;
std::atomic<int> alive, made, once_called;

struct counted {
  counted() { ++alive, ++made; }
  ~counted() { --alive; }
  counted(const counted&) = delete;
  counted& operator=(const counted&) = delete;
};

bool pointers_are_counted() {
  std::atomic<std::shared_ptr<counted>> latest = std::make_shared<counted>();
  const auto common = std::make_shared<counted>();
  const std::weak_ptr<counted> weak = common;
  std::latch all(threads);
  std::atomic<bool> whole = true;
  std::vector<std::jthread> running;
  for (int t = 0; t != threads; ++t) {
    running.emplace_back([&] {
      all.arrive_and_wait();
      for (int n = 0; n != turns; ++n) {
        const auto copy = common;
        if (weak.lock() != copy) whole = false;
        if (n % 100 == 0) latest = std::make_shared<counted>();
        if (latest.load() == nullptr) whole = false;
      }
    });
  }
  running.clear();
  const bool right = whole && common.use_count() == 1 && alive == 2;
  latest = std::shared_ptr<counted>();
  return right && alive == 1 && made == 2 + threads * turns / 100;
}

bool happens_once() {
  static std::once_flag flag;
  std::counting_semaphore<threads> turn(2);
  std::atomic<int> inside = 0, most = 0;
  std::vector<std::jthread> running;
  for (int t = 0; t != threads; ++t) {
    running.emplace_back([&] {
      std::call_once(flag, [] { ++once_called; });
      static const int first = ++once_called;
      turn.acquire();
      int seen = most;
      const int now = ++inside + first - first;
      while (now > seen && !most.compare_exchange_weak(seen, now)) continue;
      --inside;
      turn.release();
    });
  }
  running.clear();
  return once_called == 2 && most <= 2 && inside == 0;
}

bool a_stop_arrives() {
  std::promise<int> promise;
  std::future<int> future = promise.get_future();
  std::jthread worker([&promise](const std::stop_token& stop) {
    while (!stop.stop_requested()) std::this_thread::yield();
    promise.set_value(7);
  });
  worker.request_stop();
  return future.get() == 7;
}

}  // namespace

int main() {
  const bool right = pointers_are_counted() && happens_once() && a_stop_arrives() && alive == 0;
  if (!right) std::fputs("a count is wrong\n", stderr);
  return right ? 0 : 1;
}
