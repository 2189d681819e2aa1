// SPDX-License-Identifier: MIT
// Threads that lock one and try another, and let go of both if that fails: each of them sees the
// others' rounds, and nobody else does. So none of the rounds has to be kept.
//
// case: two_who_lock_both
// flags: -DTHREADS=2
// expect: all=holds
//
// case: three_at_a_table
// flags: -DTHREADS=3
// expect: all=holds
//
// case: by_hand
// flags: -DTHREADS=2 -DBY_HAND
// expect: all=holds
#include <cassert>
#include <mutex>
#include <thread>

static std::mutex locks[THREADS];
static std::mutex all;
static int done;

static void lock_both(std::mutex& first, std::mutex& second) {
#ifdef BY_HAND
  for (;;) {
    first.lock();
    if (second.try_lock()) return;
    first.unlock();
  }
#else
  std::lock(first, second);
#endif
}

static void work(int i) {
  std::mutex& first = locks[i];
  std::mutex& second = locks[(i + 1) % THREADS];
  lock_both(first, second);
  {
    const std::lock_guard held(all);
    done++;
  }
  second.unlock();
  first.unlock();
}

int main() {
  std::thread threads[THREADS];
  for (int i = 0; i < THREADS; i++) threads[i] = std::thread(work, i);
  for (std::thread& thread : threads) thread.join();
  assert(done == THREADS);
}
