// SPDX-License-Identifier: MIT
// Endive and Chicory, WebAssembly in Java: memory.atomic.wait takes a wake-up that was not its own.
// https://github.com/bytecodealliance/endive/issues/106
// https://github.com/bytecodealliance/endive/pull/107
//
// A notify leaves wake-ups to be consumed under the monitor of the address. Whoever comes first
// takes one, and a thread that arrives after the notify may be first: it does not sleep at all, and
// the thread that the notify was meant for sleeps on. The repair numbers the notifies, and a waiter
// takes only what was left since it arrived. Interleaving alone does it.
//
// case: broken
// expect: all=violated:lost-wakeup
//
// case: repaired
// flags: -DREPAIRED
// expect: all=holds
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

std::atomic<int> word{0};

class wait_state {
 public:
  void wait(int expected) {
    std::unique_lock lock(monitor_);
    if (word.load() != expected) return;
    waiters_++;
    [[maybe_unused]] const int arrived = notifies_;
#ifdef REPAIRED
    changed_.wait(lock, [&] { return pending_ > 0 && notifies_ != arrived; });
#else
    changed_.wait(lock, [&] { return pending_ > 0; });
#endif
    pending_--;
    waiters_--;
  }

  void notify_one() {
    const std::lock_guard lock(monitor_);
    if (waiters_ == pending_) return;
    pending_++;
    notifies_++;
    changed_.notify_all();
  }

 private:
  std::mutex monitor_;
  std::condition_variable changed_;
  int waiters_ = 0;
  int pending_ = 0;   // wake-ups that nobody has taken yet
  int notifies_ = 0;  // the number of the last one
};

wait_state state;
std::atomic<bool> second_may_come{false};

int main() {
  std::thread first([] {
    while (word.load() == 0) state.wait(0);
  });
  std::thread second([] {
    while (!second_may_come.load()) {
    }
    while (word.load() == 1) state.wait(1);
  });
  word.store(1);
  state.notify_one();  // for the first: it alone can be there
  second_may_come.store(true);
  word.store(2);
  state.notify_one();  // for the second
  first.join();
  second.join();
}
