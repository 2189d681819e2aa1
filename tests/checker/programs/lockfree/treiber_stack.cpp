// SPDX-License-Identifier: MIT
// Treiber's stack over a fixed set of nodes that are reused at once. A bare pointer suffers from
// ABA; a pointer with a count of pops does not.
//
// case: bare_pointer
// expect: all=violated:assertion at=twice
//
// case: counted_pointer
// flags: -DCOUNTED
// expect: all=holds
#include <atomic>
#include <cassert>
#include <cstdint>
#include <thread>

// Nodes are numbered from 1; 0 is the end of the stack.
constexpr int nodes = 3;
std::atomic<std::uint32_t> next[nodes];
std::atomic<int> owners[nodes];

#ifdef COUNTED
constexpr std::uint64_t one_more = std::uint64_t{1} << 32;
#else
constexpr std::uint64_t one_more = 0;
#endif

std::atomic<std::uint64_t> top{0};

std::uint32_t node_of(std::uint64_t word) { return static_cast<std::uint32_t>(word); }
std::uint64_t count_of(std::uint64_t word) { return word >> 32 << 32; }

void push(std::uint32_t node) {
  std::uint64_t old = top.load(std::memory_order_relaxed);
  do {
    next[node].store(node_of(old), std::memory_order_relaxed);
  } while (!top.compare_exchange_strong(old, count_of(old) | node, std::memory_order_release,
                                        std::memory_order_relaxed));
}

std::uint32_t pop() {
  std::uint64_t old = top.load(std::memory_order_acquire);
  for (;;) {
    if (node_of(old) == 0) return 0;
    const std::uint32_t after = next[node_of(old)].load(std::memory_order_relaxed);
    if (top.compare_exchange_strong(old, (count_of(old) | after) + one_more,
                                    std::memory_order_acquire, std::memory_order_acquire)) {
      return node_of(old);
    }
  }
}

std::uint32_t take() {
  const std::uint32_t node = pop();
  if (node != 0) assert(owners[node].fetch_add(1, std::memory_order_relaxed) == 0);  // @twice
  return node;
}

void put_back(std::uint32_t node) {
  owners[node].fetch_sub(1, std::memory_order_relaxed);
  push(node);
}

int main() {
  push(2);
  push(1);
  std::thread slow([] {
    take();
    take();
  });
  std::thread quick([] {
    const std::uint32_t first = take();
    const std::uint32_t second = take();
    (void)second;
    if (first != 0) put_back(first);
  });
  slow.join();
  quick.join();
}
