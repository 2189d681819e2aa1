// SPDX-License-Identifier: MIT
// Michael and Scott's queue, two producers of EACH values and one consumer, nodes never freed.
//
// case: release_acquire
// expect: all=holds
//
// case: linked_relaxed
// flags: -DLINK=relaxed
// expect: all=violated:data-race at=race
#include <atomic>
#include <cassert>
#include <thread>

#ifndef LINK
#define LINK release
#endif
#ifndef EACH
#define EACH 1
#endif
#define ORDER_(name) std::memory_order_##name
#define ORDER(name) ORDER_(name)

struct node {
  int value = 0;
  std::atomic<node*> next{nullptr};
};

node pool[1 + 2 * EACH];
std::atomic<node*> head{&pool[0]};
std::atomic<node*> tail{&pool[0]};

void enqueue(node* fresh, int value) {
  fresh->value = value;  // @race
  for (;;) {
    node* last = tail.load(std::memory_order_acquire);
    node* after = last->next.load(std::memory_order_acquire);
    if (after != nullptr) {
      tail.compare_exchange_strong(last, after, ORDER(LINK), std::memory_order_relaxed);
    } else if (last->next.compare_exchange_strong(after, fresh, ORDER(LINK),
                                                  std::memory_order_relaxed)) {
      tail.compare_exchange_strong(last, fresh, ORDER(LINK), std::memory_order_relaxed);
      return;
    }
  }
}

int dequeue() {
  for (;;) {
    node* first = head.load(std::memory_order_acquire);
    node* last = tail.load(std::memory_order_acquire);
    node* after = first->next.load(std::memory_order_acquire);
    if (after == nullptr) return 0;
    if (first == last) {
      tail.compare_exchange_strong(last, after, ORDER(LINK), std::memory_order_relaxed);
      continue;
    }
    const int value = after->value;  // @race
    if (head.compare_exchange_strong(first, after, std::memory_order_acq_rel,
                                     std::memory_order_relaxed)) {
      return value;
    }
  }
}

int main() {
  int first = 0;
  std::thread producer([] {
    for (int i = 1; i <= EACH; i++) enqueue(&pool[i], i);
  });
  std::thread other_producer([] {
    for (int i = EACH + 1; i <= 2 * EACH; i++) enqueue(&pool[i], i);
  });
  std::thread consumer([&first] { first = dequeue(); });
  producer.join();
  other_producer.join();
  consumer.join();
  int sum = first;
  while (const int next = dequeue()) sum += next;
  assert(sum == EACH * (2 * EACH + 1));
}
