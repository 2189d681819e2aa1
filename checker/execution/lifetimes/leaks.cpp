// SPDX-License-Identifier: MIT
// Memory that is never freed and to which nothing leads: neither the program's global variables
// nor, from there, other blocks. What a global variable still leads to when the process ends is no
// leak; neither is an exception that is being handled. Any word that could be an address counts as
// one.
#include "execution/lifetimes/leaks.hpp"

#include <cstdio>

#include "execution/execution.hpp"

namespace fencepost::checker {
namespace {

class Marker {
 public:
  explicit Marker(Heap& heap) : heap_(heap) {}

  void scan(std::uintptr_t begin, std::size_t size) {
    const std::uintptr_t end = begin + size;
    for (std::uintptr_t a = (begin + 7) & ~std::uintptr_t{7}; a + 8 <= end; a += 8) {
      Heap::Block* b = heap_.find(*reinterpret_cast<const std::uintptr_t*>(a));
      if (b == nullptr || b->freed_at != 0 || b->reachable) continue;
      b->reachable = true;
      pending_.push_back(b);
    }
  }
  void follow() {
    while (!pending_.empty()) {
      const Heap::Block* b = pending_.back();
      pending_.pop_back();
      scan(b->address, b->size);
    }
  }

 private:
  Heap& heap_;
  Array<Heap::Block*> pending_;
};

}  // namespace

void judge_leaks() {
  Marker marker(execution.heap);
  for (unsigned i = 0; i < execution.snapshot.ranges(); ++i) {
    marker.scan(execution.snapshot.range_begin(i), execution.snapshot.range_size(i));
  }
  for (unsigned i = 0; i < execution.thread_count; ++i) {
    for (const Heap::Block& b : execution.heap.blocks(i)) {
      // An exception whose handler is known leads to itself.
      if ((b.startup || b.is_exception) && b.freed_at == 0) marker.scan(b.address, b.size);
    }
  }
  marker.follow();
  for (unsigned i = 0; i < execution.thread_count; ++i) {
    for (const Heap::Block& b : execution.heap.blocks(i)) {
      if (b.startup || b.reachable || b.is_mapped || b.freed_at != 0) continue;
      execution.violation.found = true;
      execution.violation.kind = "memory";
      execution.violation.thread = i;
      execution.violation.pc = b.allocated_at;
      std::snprintf(execution.violation.message, sizeof execution.violation.message,
                    "%lu bytes allocated by thread %u are never freed, and nothing leads to them",
                    static_cast<unsigned long>(b.size), i);
      return;
    }
  }
}

}  // namespace fencepost::checker
