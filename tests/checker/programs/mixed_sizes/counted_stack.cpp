// SPDX-License-Identifier: MIT
// A stack whose top is a pointer and a counter of 16 bytes, changed by one compare-exchange.
//
// case: counted
// expect: c++20=holds
// expect: x86=holds
// expect: c++14=holds
//
// Without the counter a thread that slept takes a node off that is no longer there: A was taken, B
// was taken, A was put back.
//
// case: not_counted
// flags: -DCOUNT=0
// expect: c++20=violated:assertion at=twice
// expect: sc=violated:assertion at=twice
// expect: c++14=violated:assertion at=twice
#include <atomic>
#include <cassert>
#include <cstdint>
#include <thread>

#ifndef COUNT
#define COUNT 1
#endif

struct node {
  std::atomic<node*> next{nullptr};
  std::atomic<int> taken{0};
};
struct head {
  node* top;
  std::uint64_t count;
};
__extension__ using both = unsigned __int128;

alignas(16) static both stack;
static node a, b;

static both as_one(head h) { return both{h.count} << 64 | reinterpret_cast<std::uintptr_t>(h.top); }
static head as_two(both w) {
  return {reinterpret_cast<node*>(static_cast<std::uintptr_t>(w)),
          static_cast<std::uint64_t>(w >> 64)};
}
static bool replaced(both* old, head fresh) {
  return __atomic_compare_exchange_n(&stack, old, as_one(fresh), false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE);
}

static void push(node* n) {
  n->taken.store(0, std::memory_order_relaxed);
  both old = __atomic_load_n(&stack, __ATOMIC_ACQUIRE);
  do {
    n->next.store(as_two(old).top, std::memory_order_relaxed);
  } while (!replaced(&old, {n, as_two(old).count + COUNT}));
}

static node* pop() {
  both old = __atomic_load_n(&stack, __ATOMIC_ACQUIRE);
  for (;;) {
    const head h = as_two(old);
    if (h.top == nullptr) return nullptr;
    node* next = h.top->next.load(std::memory_order_relaxed);
    if (replaced(&old, {next, h.count + COUNT})) {
      assert(h.top->taken.exchange(1, std::memory_order_relaxed) == 0);  // @twice
      return h.top;
    }
  }
}

int main() {
  push(&b);
  push(&a);
  std::thread other([] {
    node* first = pop();
    pop();
    if (first != nullptr) push(first);
  });
  pop();
  other.join();
  while (pop() != nullptr) {
  }
}
