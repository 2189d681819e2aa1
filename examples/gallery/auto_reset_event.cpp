// SPDX-License-Identifier: MIT
// Jeff Preshing's AutoResetEvent (cpp11-on-multicore): a signal that is already there, or was.
// https://github.com/preshing/cpp11-on-multicore, tests/lostwakeup; found by Tobias Brüll
//
// signal() looks at the status first, relaxed, and returns at once if the event is signalled. The
// look may overtake the push of the request before it: the waiter consumes the signal, does not see
// the request and sleeps. Storing the same 1 again, in release order, mends it: then whoever
// consumes the signal acquires what was pushed before it, and the look is part of the exchange.
//
// case: broken
// expect: c++20=violated:lost-wakeup x86=violated:lost-wakeup sc=holds at=sleep says="T1 sleeps"
//
// case: repaired
// flags: -DREPAIRED
// expect: all=holds
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <thread>

class auto_reset_event {
 public:
  void signal() {
    int seen = status_.load(std::memory_order_relaxed);
    int next = 0;
    do {
#ifndef REPAIRED
      if (seen == 1) return;
#endif
      next = seen < 1 ? seen + 1 : 1;
    } while (!status_.compare_exchange_weak(seen, next, std::memory_order_release,
                                            std::memory_order_relaxed));
    if (seen < 0) post();
  }

  void wait() {
    if (status_.fetch_sub(1, std::memory_order_acquire) < 1) take();
  }

 private:
  void post() {
    posted_.fetch_add(1, std::memory_order_release);
    syscall(SYS_futex, &posted_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
  }

  void take() {
    for (;;) {
      int seen = posted_.load(std::memory_order_relaxed);
      if (seen == 0) {
        syscall(SYS_futex, &posted_, FUTEX_WAIT_PRIVATE, 0, nullptr, nullptr, 0);  // @sleep
      } else if (posted_.compare_exchange_weak(seen, seen - 1, std::memory_order_acquire)) {
        return;
      }
    }
  }

  std::atomic<int> status_{0};  // 1: signalled; -n: n threads wait
  std::atomic<int> posted_{0};  // the semaphore that they wait on
};

auto_reset_event event;
std::atomic<bool> requests[2];

void request(int which) {
  requests[which].store(true, std::memory_order_release);
  event.signal();
}

int main() {
  std::thread worker([] {
    for (int done = 0; done < 2;) {
      event.wait();
      for (std::atomic<bool>& pushed : requests) {
        if (pushed.load(std::memory_order_acquire)) {
          pushed.store(false, std::memory_order_relaxed);
          done++;
        }
      }
    }
  });
  request(0);
  request(1);
  worker.join();
}
