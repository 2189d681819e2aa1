// SPDX-License-Identifier: MIT
// A stack whose head counts its changes in the lowest bits of the first node's address. There are
// as many of these bits as the node is aligned for, and a block of memory is aligned no better than
// asked for: with one more, the count destroys a bit of the address.
//
// case: as_many_as_new_aligns_for
// expect: all=holds
//
// case: one_more_than_new_aligns_for
// flags: -DBITS=5
// expect: all=violated:memory
//
// case: as_many_as_the_type_is_aligned_for
// flags: -DALIGNED=64 -DBITS=6
// expect: all=holds
//
// case: one_more_than_the_type_is_aligned_for
// flags: -DALIGNED=64 -DBITS=7
// expect: all=violated:memory
#include <atomic>
#include <cassert>
#include <cstdint>
#include <thread>

#ifndef BITS
#define BITS 4
#endif
#ifndef ALIGNED
#define ALIGNED alignof(void*)
#endif

constexpr std::uintptr_t counted = (std::uintptr_t{1} << BITS) - 1;

struct alignas(ALIGNED) Node {
  Node* next = nullptr;
  int value = 7;
};

std::atomic<std::uintptr_t> head;

Node* node_of(std::uintptr_t word) { return reinterpret_cast<Node*>(word & ~counted); }

void push(Node* node) {
  std::uintptr_t old = head.load(std::memory_order_acquire);
  std::uintptr_t mine = 0;
  do {
    node->next = node_of(old);
    mine = reinterpret_cast<std::uintptr_t>(node) | ((old + 1) & counted);
  } while (!head.compare_exchange_strong(old, mine, std::memory_order_acq_rel));
}

int main() {
  std::thread other([] { push(new Node); });
  push(new Node);
  other.join();
  int nodes = 0;
  for (Node* node = node_of(head.load()); node != nullptr; node = node->next) {
    assert(node->value == 7);
    ++nodes;
  }
  assert(nodes == 2);
  return 0;
}
