// SPDX-License-Identifier: MIT
//
// The C++ standard library's locks, most of which are POSIX's inside libstdc++.so: each is used by
// several threads, and what they counted is compared with what it must be.
#include <pthread.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <future>
#include <iostream>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

namespace {

using namespace std::chrono_literals;

constexpr int threads = 4;
constexpr int turns = 3000;

int failures = 0;

void expect(const char* what, long expected, long came) {
  if (expected == came) return;
  std::cerr << what << ": " << expected << " expected, " << came << " came\n";
  ++failures;
}

template <class Mutex>
void excludes(const char* name) {
  Mutex mutex;
  long count = 0;
  std::vector<std::thread> all;
  for (int n = 0; n != threads; ++n) {
    all.emplace_back([&] {
      for (int turn = 0; turn != turns; ++turn) {
        const std::lock_guard in(mutex);
        ++count;
      }
    });
  }
  for (auto& one : all) one.join();
  expect(name, long{threads} * turns, count);
}

/// How each kind of wait of a condition variable ends that nobody notifies, and one that somebody
/// does.
template <class Condition, class Mutex>
void waits(const char* name) {
  Mutex mutex;
  Condition changed;
  bool ready = false;
  std::unique_lock in(mutex);
  expect(name, 0, changed.wait_for(in, 1ms, [&] { return ready; }));
  expect(name, 0,
         changed.wait_until(in, std::chrono::system_clock::now() + 1ms, [&] { return ready; }));
  expect(name, 0,
         changed.wait_until(in, std::chrono::steady_clock::now() + 1ms, [&] { return ready; }));
  std::thread other([&] {
    const std::lock_guard inside(mutex);
    ready = true;
    changed.notify_one();
  });
  changed.wait(in, [&] { return ready; });
  in.unlock();
  other.join();
}

void times_out() {
  std::timed_mutex mutex;
  const std::lock_guard in(mutex);
  std::thread([&] {
    expect("timed_mutex", 0, mutex.try_lock_for(1ms));
    expect("timed_mutex", 0, mutex.try_lock_until(std::chrono::system_clock::now() + 1ms));
  }).join();
}

/// An exception leaves std::call_once() as if it had not been called, from within another one, too;
/// and a thread that ends later on does not look for what the exception passed by.
void calls_once() {
  for (int round = 0; round != 100; ++round) {
    std::once_flag flag;
    std::once_flag outer;
    int calls = 0;
    std::atomic<int> thrown{0};
    std::vector<std::thread> all;
    for (int n = 0; n != threads; ++n) {
      all.emplace_back([&] {
        try {
          std::call_once(outer, [&] {
            std::call_once(flag, [&] {
              if (++calls < threads) throw calls;
            });
          });
        } catch (int) {
          ++thrown;
        }
        ::pthread_exit(nullptr);
      });
    }
    for (auto& one : all) one.join();
    expect("call_once", threads, calls);
    expect("call_once", threads - 1, thrown);
    std::call_once(outer, [&] { ++calls; });
    expect("call_once", threads, calls);
  }
}

}  // namespace

int main() {
  excludes<std::mutex>("mutex");
  excludes<std::recursive_mutex>("recursive_mutex");
  excludes<std::timed_mutex>("timed_mutex");
  excludes<std::recursive_timed_mutex>("recursive_timed_mutex");
  excludes<std::shared_mutex>("shared_mutex");
  waits<std::condition_variable, std::mutex>("condition_variable");
  waits<std::condition_variable_any, std::recursive_mutex>("condition_variable_any");
  times_out();
  calls_once();
  std::promise<int> promise;
  auto future = promise.get_future();
  std::thread sender([&] { promise.set_value(7); });
  expect("future", 7, future.get());
  sender.join();
  expect("async", 11, std::async(std::launch::async, [] { return 11; }).get());
  return failures == 0 ? 0 : 1;
}
