// SPDX-License-Identifier: MIT
// What the C++ library does as a thread ends, on request, is refused by name where it is asked for.
//
// case: a_promise
// flags: -DPROMISE
// expect: all=inconclusive says="_Make_ready::_M_set.*as a thread ends"
//
// case: a_task
// flags: -DTASK
// expect: all=inconclusive says="_Make_ready::_M_set.*as a thread ends"
//
// case: a_notification
// expect: all=inconclusive at=notification says="notify_all_at_thread_exit.*as a thread ends"
#include <condition_variable>
#include <future>
#include <mutex>
#include <thread>

static std::mutex mutex;
static std::condition_variable condition;

int main() {
#if defined(PROMISE)
  std::promise<int> promise;
  std::thread thread([&] { promise.set_value_at_thread_exit(1); });
  promise.get_future().wait();
#elif defined(TASK)
  std::packaged_task<int()> task([] { return 1; });
  std::thread thread([&] { task.make_ready_at_thread_exit(); });
  task.get_future().wait();
#else
  std::thread thread([] {
    std::unique_lock<std::mutex> lock(mutex);
    std::notify_all_at_thread_exit(condition, std::move(lock));  // @notification
  });
#endif
  thread.join();
}
