// SPDX-License-Identifier: MIT
//
// A queue of work that can be closed: the textbook's, on eight bytes and four.
#include "fencepost/condition_variable.hpp"

#include <cstdio>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "fencepost/mutex.hpp"

namespace {

class work_queue {
 public:
  void push(int job) {
    {
      const std::lock_guard in(door_);
      jobs_.push_back(job);
    }
    changed_.notify_one();  // a load, while nobody waits
  }

  void close() {
    {
      const std::lock_guard in(door_);
      closed_ = true;
    }
    changed_.notify_all();
  }

  /// The next job; nothing once the queue is closed and empty.
  std::optional<int> pop() {
    std::unique_lock in(door_);
    changed_.wait(in, [this] { return closed_ || !jobs_.empty(); });
    if (jobs_.empty()) return std::nullopt;
    const int job = jobs_.front();
    jobs_.pop_front();
    return job;
  }

 private:
  fencepost::mutex door_;
  fencepost::condition_variable changed_;
  std::deque<int> jobs_;
  bool closed_ = false;
};

}  // namespace

int main() {
  work_queue queue;
  long sums[3]{};
  std::vector<std::thread> workers;
  for (long& sum : sums) {
    workers.emplace_back([&queue, &sum] {
      while (const auto job = queue.pop()) sum += *job;
    });
  }
  for (int job = 1; job <= 10000; ++job) queue.push(job);
  queue.close();
  for (std::thread& one : workers) one.join();
  const long sum = sums[0] + sums[1] + sums[2];
  std::printf("worked on: %ld\n", sum);
  return sum == 50005000 ? 0 : 1;
}
