// SPDX-License-Identifier: MIT
// Leaks are looked for on request; what a global still points to is not one.
//
// case: leak_not_asked_for
// expect: all=holds
//
// case: leak
// options: --leaks
// expect: all=violated:memory says="never freed"
//
// case: leak_in_one_execution_only
// flags: -DSOMETIMES
// options: --leaks
// expect: all=violated:memory says="never freed"
//
// case: freed_by_another_thread
// flags: -DHANDED_OVER
// options: --leaks
// expect: all=holds
#include <atomic>
#include <thread>

std::atomic<int*> slot{nullptr};

int main() {
#if defined(SOMETIMES)
  std::thread producer([] { slot.store(new int(1), std::memory_order_release); });
  std::thread consumer([] { delete slot.load(std::memory_order_acquire); });
  producer.join();
  consumer.join();
  slot.store(nullptr);
#elif defined(HANDED_OVER)
  std::thread producer([] { slot.store(new int(1), std::memory_order_release); });
  std::thread consumer([] {
    int* taken;
    while ((taken = slot.exchange(nullptr, std::memory_order_acquire)) == nullptr) {
    }
    delete taken;
  });
  producer.join();
  consumer.join();
#else
  slot.store(new int(1));
  slot.store(nullptr);
#endif
}
