// SPDX-License-Identifier: MIT
// folly's ParkingLot: one side got its fence, the other has not.
// https://github.com/facebook/folly/issues/2649
// https://github.com/facebook/folly/pull/2700 (both open when this was written)
//
// unpark() skips a bucket whose count is 0; a fence stands before that look, since the caller has
// changed its own state in whatever order it liked. park() counts itself by a seq_cst addition,
// locks the bucket, and asks the caller's predicate whether to sleep. If that reads in relaxed or
// acquire order, nothing keeps the read behind the addition: locking a mutex keeps what follows
// from moving up, not what precedes from moving down. The reporters have not seen it happen; the
// standard allows it.
//
// case: broken
// expect: c++20=violated:lost-wakeup x86=holds sc=holds
//
// case: the_caller_reads_in_seq_cst
// flags: -DREAD=seq_cst
// expect: all=holds
//
// case: repaired
// flags: -DREPAIRED
// expect: all=holds
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#ifndef READ
#define READ relaxed
#endif
#define ORDER_(name) std::memory_order_##name
#define ORDER(name) ORDER_(name)

struct bucket {
  std::mutex mutex;
  std::atomic<int> count{0};
  std::condition_variable woken;
  bool parked = false;
};

bucket shared;

template <typename ToPark>
void park(ToPark to_park) {
  shared.count.fetch_add(1, std::memory_order_seq_cst);
#ifdef REPAIRED
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
  std::unique_lock lock(shared.mutex);
  if (to_park()) {
    shared.parked = true;
    shared.woken.wait(lock, [] { return !shared.parked; });
  }
  shared.count.fetch_sub(1, std::memory_order_relaxed);
}

void unpark() {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (shared.count.load(std::memory_order_seq_cst) == 0) return;
  const std::lock_guard lock(shared.mutex);
  shared.parked = false;
  shared.woken.notify_one();
}

std::atomic<bool> ready{false};

int main() {
  std::thread waiter([] { park([] { return !ready.load(ORDER(READ)); }); });
  ready.store(true, std::memory_order_release);
  unpark();
  waiter.join();
}
