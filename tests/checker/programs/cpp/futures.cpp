// SPDX-License-Identifier: MIT
// Promises, futures, packaged tasks and async.
//
// case: promise
// expect: all=holds executions=1
//
// case: exception_through_a_promise
// flags: -DTHROW
// expect: all=holds
//
// case: async
// flags: -DASYNC
// expect: all=holds
//
// case: async_that_is_not_waited_for
// flags: -DASYNC -DTOO_EARLY
// expect: all=violated:data-race at=early
//
// case: async_deferred
// flags: -DASYNC -DPOLICY=deferred
// expect: all=holds executions=1
//
// case: promise_never_kept
// flags: -DNEVER
// expect: all=violated:lost-wakeup
//
// case: promise_broken
// flags: -DBROKEN
// expect: all=holds
//
// case: waited_for_with_a_limit_and_without
// flags: -DLIMIT
// expect: all=holds
//
// case: waited_for_with_a_limit_and_without_that_may_pass
// flags: -DLIMIT
// options: --timeouts
// expect: all=holds
//
// case: a_limit_that_passes
// flags: -DLIMIT -DCOUNTS_ON_IT
// options: --timeouts
// expect: all=violated:assertion
//
// case: shared_by_two
// flags: -DSHARED
// expect: all=holds executions=2
//
// case: shared_by_two_as_written
// flags: -DSHARED
// options: --library-as-written
// expect: all=holds
//
// case: task
// flags: -DTASK
// expect: all=holds
//
// case: task_without_optimisation
// flags: -DTASK -O0
// expect: all=holds
//
// case: task_with_clang
// flags: -DTASK
// options: --cc clang-14
// expect: all=holds
//
// case: task_whose_result_is_not_waited_for
// flags: -DTASK -DTOO_EARLY
// expect: all=violated:data-race at=written
#include <cassert>
#include <chrono>
#include <future>
#include <stdexcept>
#include <thread>
#include <utility>

#ifndef POLICY
#define POLICY async
#endif

int main() {
#if defined(ASYNC)
  int written = 0;
  auto sum = std::async(std::launch::POLICY, [&written] {
    written = 1;  // @early
    return 40;
  });
#ifdef TOO_EARLY
  assert(written < 2);  // @early
#endif
  assert(sum.get() + 2 == 42);
  assert(written == 1);
#elif defined(TASK)
  int written = 0;
  std::packaged_task<int(int)> task([&written](int added) {
    written = 1;  // @written
    return 40 + added;
  });
  auto sum = task.get_future();
  std::thread worker(std::move(task), 2);
#ifndef TOO_EARLY
  assert(sum.get() == 42);
#endif
  assert(written < 2);  // @written
  worker.join();
#elif defined(LIMIT)
  std::promise<int> promise;
  const std::shared_future<int> future = promise.get_future();
  std::thread worker([&promise] { promise.set_value(42); });
  std::thread waiter([future] { assert(future.get() == 42); });
  const auto status = future.wait_for(std::chrono::seconds(1));
#ifdef COUNTS_ON_IT
  assert(status == std::future_status::ready);
#else
  assert(status != std::future_status::deferred);
#endif
  worker.join();
  waiter.join();
#elif defined(SHARED)
  std::promise<int> promise;
  const std::shared_future<int> future = promise.get_future();
  std::thread first([future] { assert(future.get() == 42); });
  std::thread second([future] { assert(future.get() == 42); });
  promise.set_value(42);
  first.join();
  second.join();
#else
  std::promise<int> promise;
  auto future = promise.get_future();
#if defined(BROKEN)
  std::thread worker([broken = std::move(promise)] { (void)broken; });
#else
  std::thread worker([&promise] {
#if defined(THROW)
    promise.set_exception(std::make_exception_ptr(std::runtime_error("no")));
#elif defined(NEVER)
    (void)promise;
#else
    promise.set_value(42);
#endif
  });
#endif
  bool failed = false;
  try {
    assert(future.get() == 42);
  } catch (const std::runtime_error&) {
    failed = true;
  } catch (const std::future_error&) {
    failed = true;
  }
#if defined(THROW) || defined(BROKEN)
  assert(failed);
#else
  assert(!failed);
#endif
  worker.join();
#endif
}
