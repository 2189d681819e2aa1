// SPDX-License-Identifier: MIT
// A directed graph over 0 .. n-1: has it a cycle, and what leads where?
#pragma once

#include <cstdint>

#include "graph/storage.hpp"

namespace fencepost::checker {

class Digraph {
 public:
  void clear() { edges_.clear(); }

  void edge(std::uint32_t from, std::uint32_t to) {
    if (from != to) edges_.push_back(std::uint64_t{from} << 32 | to);
  }

  // Edges that are added on trial can be taken back.
  std::uint32_t edges() const { return edges_.size(); }
  void take_back(std::uint32_t edges) { edges_.truncate(edges); }

  // Puts the nodes into an order along the edges; false if there is a cycle.
  bool sort(std::uint32_t nodes) {
    index(nodes);
    order_.clear();
    for (std::uint32_t i = 0; i < nodes; ++i) {
      if (degree_[i] == 0) order_.push_back(i);
    }
    for (std::uint32_t head = 0; head < order_.size(); ++head) {
      const std::uint32_t from = order_[head];
      for (std::uint32_t k = starts_[from]; k < starts_[from + 1]; ++k) {
        if (--degree_[targets_[k]] == 0) order_.push_back(targets_[k]);
      }
    }
    return order_.size() == nodes;
  }

  // After sort: the order that it found.
  const Array<std::uint32_t>& order() const { return order_; }

  // Is there a path, by the edges of the last sort?
  bool leads(std::uint32_t from, std::uint32_t to) {
    for (std::uint32_t& d : degree_) d = 0;  // from here on 1: reached
    queue_.clear();
    queue_.push_back(from);
    while (!queue_.empty()) {
      const std::uint32_t at = queue_.back();
      queue_.pop_back();
      for (std::uint32_t k = starts_[at]; k < starts_[at + 1]; ++k) {
        if (targets_[k] == to) return true;
        if (degree_[targets_[k]] != 0) continue;
        degree_[targets_[k]] = 1;
        queue_.push_back(targets_[k]);
      }
    }
    return false;
  }

 private:
  // Sorts the edges by origin and counts those that come to each node.
  void index(std::uint32_t nodes) {
    starts_.resize(nodes + 1);
    degree_.resize(nodes);
    for (std::uint32_t i = 0; i <= nodes; ++i) starts_[i] = 0;
    for (std::uint32_t i = 0; i < nodes; ++i) degree_[i] = 0;
    for (std::uint64_t e : edges_) {
      ++starts_[e >> 32];
      ++degree_[static_cast<std::uint32_t>(e)];
    }
    std::uint32_t sum = 0;
    for (std::uint32_t i = 0; i <= nodes; ++i) {
      sum += starts_[i];
      starts_[i] = sum;
    }
    targets_.resize(edges_.size());
    for (std::uint64_t e : edges_) targets_[--starts_[e >> 32]] = static_cast<std::uint32_t>(e);
  }

  Array<std::uint64_t> edges_;  // from << 32 | to
  Array<std::uint32_t> starts_;
  Array<std::uint32_t> targets_;
  Array<std::uint32_t> degree_;
  Array<std::uint32_t> order_;
  Array<std::uint32_t> queue_;
};

}  // namespace fencepost::checker
