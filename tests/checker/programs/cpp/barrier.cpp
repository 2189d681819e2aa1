// SPDX-License-Identifier: MIT
// A barrier made of a mutex and a condition variable, passed twice.
//
// case: with_a_phase
// expect: all=holds
//
// case: without_a_phase
// flags: -DNO_PHASE
// expect: all=violated:lost-wakeup
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

class barrier {
 public:
  explicit barrier(int threads) : threads_(threads) {}

  void arrive_and_wait() {
    std::unique_lock lock(mutex_);
    arrived_++;
#ifdef NO_PHASE
    if (arrived_ == threads_) {
      arrived_ = 0;
      all_here_.notify_all();
      return;
    }
    all_here_.wait(lock, [this] { return arrived_ == 0; });
#else
    const int phase = phase_;
    if (arrived_ == threads_) {
      arrived_ = 0;
      phase_++;
      all_here_.notify_all();
      return;
    }
    all_here_.wait(lock, [this, phase] { return phase_ != phase; });
#endif
  }

 private:
  const int threads_;
  int arrived_ = 0;
  int phase_ = 0;
  std::mutex mutex_;
  std::condition_variable all_here_;
};

barrier meeting{2};
int written[2] = {0, 0};

int main() {
  auto work = [](int me) {
    written[me] = 1;
    meeting.arrive_and_wait();
    assert(written[1 - me] == 1);
    meeting.arrive_and_wait();
    written[me] = 2;
  };
  std::thread first(work, 0);
  std::thread second(work, 1);
  first.join();
  second.join();
}
