// SPDX-License-Identifier: MIT
// Memory that is never freed and to which nothing leads: neither the program's global variables
// nor, from there, other blocks. What a global variable still leads to when the process ends is no
// leak; neither is an exception that is being handled. Any word that could be an address counts as
// one.
#include "memory/leaks.hpp"

#include <cstdio>

#include "execution/runtime.hpp"

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
  Marker marker(runtime.heap);
  for (unsigned i = 0; i < runtime.snapshot.ranges(); ++i) {
    marker.scan(runtime.snapshot.range_begin(i), runtime.snapshot.range_size(i));
  }
  for (unsigned i = 0; i < runtime.thread_count_; ++i) {
    for (const Heap::Block& b : runtime.heap.blocks(i)) {
      // An exception whose handler is known leads to itself.
      if ((b.startup || b.is_exception) && b.freed_at == 0) marker.scan(b.address, b.size);
    }
  }
  marker.follow();
  for (unsigned i = 0; i < runtime.thread_count_; ++i) {
    for (const Heap::Block& b : runtime.heap.blocks(i)) {
      if (b.startup || b.reachable || b.freed_at != 0) continue;
      runtime.violation.found = true;
      runtime.violation.kind = "memory";
      runtime.violation.thread = i;
      runtime.violation.pc = b.allocated_at;
      std::snprintf(runtime.violation.message, sizeof runtime.violation.message,
                    "%lu bytes allocated by thread %u are never freed, and nothing leads to them",
                    static_cast<unsigned long>(b.size), i);
      return;
    }
  }
}

}  // namespace fencepost::checker
