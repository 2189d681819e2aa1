// SPDX-License-Identifier: MIT
// Since C++20 a release sequence is continued by read-modify-writes only: a later relaxed store
// by the releasing thread itself no longer carries what was released.
//
// case: read_modify_write_continues
// expect: all=holds executions=6
//
// case: own_relaxed_store_does_not
// flags: -DOWN_STORE
// expect: all=violated:data-race at=race
// expect: c++14=holds executions=3
#include <atomic>
#include <cassert>
#include <thread>

int data = 0;
std::atomic<int> flag{0};

int main() {
  std::thread producer([] {
    data = 42;  // @race
    flag.store(1, std::memory_order_release);
#ifdef OWN_STORE
    flag.store(2, std::memory_order_relaxed);
#endif
  });
#ifndef OWN_STORE
  std::thread bystander([] { flag.fetch_add(1, std::memory_order_relaxed); });
#endif
  std::thread consumer([] {
    if (flag.load(std::memory_order_acquire) == 2) {
      assert(data == 42);  // @race
    }
  });
  producer.join();
#ifndef OWN_STORE
  bystander.join();
#endif
  consumer.join();
}
