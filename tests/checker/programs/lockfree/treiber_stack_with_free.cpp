// SPDX-License-Identifier: MIT
// Treiber's stack that deletes what it pops: another thread may still be reading the node.
//
// case: deletes_at_once
// expect: all=violated:memory|data-race at=touch says="free|delete"
//
// case: deletes_after_everyone_left
// flags: -DDELETE_AT_END
// expect: all=holds
// options: --leaks
#include <atomic>
#include <cassert>
#include <thread>

struct node {
  int value;
  node* next;
};

std::atomic<node*> top{nullptr};

void push(node* fresh) {
  fresh->next = top.load(std::memory_order_relaxed);
  while (!top.compare_exchange_weak(fresh->next, fresh, std::memory_order_release,
                                    std::memory_order_relaxed)) {
  }
}

node* pop() {
  node* old = top.load(std::memory_order_acquire);
  while (old != nullptr &&
         !top.compare_exchange_weak(old, old->next,  // @touch
                                    std::memory_order_acquire, std::memory_order_acquire)) {
  }
  return old;
}

int main() {
  push(new node{1, nullptr});
  push(new node{2, nullptr});
  node* taken[2];
  auto take = [&taken](int who) {
    taken[who] = pop();
#ifndef DELETE_AT_END
    delete taken[who];  // @touch
#endif
  };
  std::thread first(take, 0);
  std::thread second(take, 1);
  first.join();
  second.join();
#ifdef DELETE_AT_END
  assert(taken[0] != taken[1]);
  assert(taken[0]->value + taken[1]->value == 3);
  delete taken[0];
  delete taken[1];
#endif
}
