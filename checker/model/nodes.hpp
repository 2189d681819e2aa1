// SPDX-License-Identifier: MIT
// The events that a model orders, numbered thread by thread in program order.
#pragma once

#include <cstdint>

#include "graph/graph.hpp"

namespace fencepost::checker {

class Nodes {
 public:
  void clear() {
    nodes_.clear();
    first_.clear();
  }
  // Called before the nodes of each thread are added, and once after those of the last.
  void next_thread() { first_.push_back(nodes_.size()); }
  void add(EventId e) { nodes_.push_back(e); }

  std::uint32_t size() const { return nodes_.size(); }
  EventId operator[](std::uint32_t n) const { return nodes_[n]; }
  // The nodes of thread t are first(t) .. first(t + 1) - 1.
  std::uint32_t first(unsigned thread) const { return first_[thread]; }

  // The first node of the event's thread that is not before the event.
  std::uint32_t at_or_after(EventId e) const {
    std::uint32_t low = first_[e.thread()];
    std::uint32_t high = first_[e.thread() + 1];
    while (low < high) {
      const std::uint32_t middle = (low + high) / 2;
      if (nodes_[middle].index() < e.index()) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

 private:
  Array<EventId> nodes_;
  Array<std::uint32_t> first_;
};

}  // namespace fencepost::checker
