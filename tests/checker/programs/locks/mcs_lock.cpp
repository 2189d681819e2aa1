// SPDX-License-Identifier: MIT
// The MCS queue lock: each waiter spins on its own node, which lies on its own stack.
//
// case: two_threads
// expect: all=holds
//
// case: three_threads
// flags: -DTHREADS=3
// expect: all=holds
//
// case: relaxed_handover
// flags: -DHANDOVER=relaxed
// expect: all=violated:data-race at=race
//
// case: forgets_a_late_successor
// flags: -DNO_WAIT_FOR_SUCCESSOR
// expect: all=violated:non-termination at=spin
#include <array>
#include <atomic>
#include <cassert>
#include <thread>

#ifndef THREADS
#define THREADS 2
#endif
#ifndef HANDOVER
#define HANDOVER release
#endif
#define ORDER_(name) std::memory_order_##name
#define ORDER(name) ORDER_(name)

struct mcs_node {
  std::atomic<mcs_node*> next{nullptr};
  std::atomic<bool> waiting{true};
};

class mcs_lock {
 public:
  void lock(mcs_node& mine) {
    mcs_node* const before = tail_.exchange(&mine, std::memory_order_acq_rel);
    if (before == nullptr) return;
    before->next.store(&mine, std::memory_order_release);
    while (mine.waiting.load(std::memory_order_acquire)) {  // @spin
    }
  }

  void unlock(mcs_node& mine) {
    mcs_node* after = mine.next.load(std::memory_order_acquire);
    if (after == nullptr) {
      mcs_node* expected = &mine;
      if (tail_.compare_exchange_strong(expected, nullptr, std::memory_order_release,
                                        std::memory_order_relaxed)) {
        return;
      }
#ifdef NO_WAIT_FOR_SUCCESSOR
      return;
#endif
      while ((after = mine.next.load(std::memory_order_acquire)) == nullptr) {
      }
    }
    after->waiting.store(false, ORDER(HANDOVER));
  }

 private:
  std::atomic<mcs_node*> tail_{nullptr};
};

int main() {
  mcs_lock lock;
  int counter = 0;
  std::array<mcs_node, THREADS> nodes;
  std::array<std::thread, THREADS> threads;
  for (int i = 0; i < THREADS; i++) {
    threads[i] = std::thread([&lock, &counter, &node = nodes[i]] {
      lock.lock(node);
      counter++;  // @race
      lock.unlock(node);
    });
  }
  for (auto& thread : threads) thread.join();
  assert(counter == THREADS);
}
