// SPDX-License-Identifier: MIT
// Counters that are incremented in memory, in templates and through references. Without the prefix
// the load and the store of an increment come apart.
//
// case: locked
// flags: -DLOCK="lock; "
// expect: all=holds executions=8
//
// case: locked_position_independent
// flags: -DLOCK="lock; " -fPIC
// expect: all=holds executions=8
//
// case: not_locked
// flags: -DLOCK=
// expect: all=violated:assertion
#include <cassert>
#include <thread>

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

template <class T>
struct Counter {
  T value = 0;
  void increment() {
    if constexpr (sizeof(T) == 8) {
      __asm__ volatile(TEXT(LOCK) "incq %0" : "+m"(value) : : "memory", "cc");
    } else {
      __asm__ volatile(TEXT(LOCK) "incl %0" : "+m"(value) : : "memory", "cc");
    }
  }
  T get() const {
    T result;
    __asm__ volatile("mov %1, %0" : "=r"(result) : "m"(value) : "memory");
    return result;
  }
};

static Counter<long> wide;
static Counter<int> narrow;

int main() {
  Counter<long> local;
  const auto work = [&] {
    wide.increment();
    narrow.increment();
    local.increment();
  };
  std::thread other(work);
  work();
  other.join();
  assert(wide.get() == 2 && narrow.get() == 2 && local.get() == 2);
}
