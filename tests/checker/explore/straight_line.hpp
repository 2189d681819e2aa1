// SPDX-License-Identifier: MIT
// Programs without branches, explored without running anything: each thread is a list of
// operations.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "graph/event.hpp"
#include "model/model.hpp"

namespace fencepost::checker {

struct Step {
  enum class Does {
    read,
    write,
    add,
    undivided_add,
    compare_exchange,
    fence,
    light_fence,
    heavy_fence,
    choose,
    lock,
    unlock
  };

  Does does;
  LocationId location = 0;
  std::uint64_t value = 0;     // written, added, or how many options there are
  std::uint64_t expected = 0;  // by a compare-exchange
  Order order = Order::relaxed;
};

using StraightLine = std::vector<Step>;

// The same operations with other orders.
std::vector<StraightLine> with_order(std::vector<StraightLine> program, Order order);
// A seq_cst fence between each two operations of a thread.
std::vector<StraightLine> with_fences(const std::vector<StraightLine>& program);

// Which thread the exploration lets go on when several can; each is a function of the graph.
enum class Turn { first, last, shortest };

struct Explored {
  // Each complete execution as text: what reads read and the modification orders. Operations are
  // named by thread and position; fences count for nothing.
  std::multiset<std::string> executions;
  unsigned blocked = 0;    // executions in which a thread waits for a lock
  unsigned abandoned = 0;  // graphs that became inconsistent
  std::uint64_t revisits = 0;

  std::size_t count() const { return executions.size(); }
  std::set<std::string> distinct() const { return {executions.begin(), executions.end()}; }
};

Explored explore(const std::vector<StraightLine>& program, const Model& model,
                 Turn turn = Turn::first);

// The same in many pieces: after every `runs` executions what is left is written as two work items,
// which others go on with, in another order.
Explored explore_in_parcels(const std::vector<StraightLine>& program, const Model& model,
                            unsigned runs);

// The mean of this many probes, made in the middle of a search, which must still find every
// execution: *found says how many.
double estimate(const std::vector<StraightLine>& program, const Model& model, unsigned probes,
                std::size_t* found);

// The executions that come of taking turns in every possible way. For reads, writes, additions,
// compare-exchanges and fences.
std::set<std::string> interleavings(std::vector<StraightLine> program);

}  // namespace fencepost::checker
