// SPDX-License-Identifier: MIT
// Happens-before with the release sequences of C++11 to C++17.
//
// There a release sequence is headed by a store A and goes on, in modification order and without a
// gap, as long as the writes are read-modify-writes or by the thread of A. C++20 has only the
// read-modify-writes (P0982). Whether there is a gap depends on the whole graph: another thread's
// store that is added later may fall between and break the sequence, and happens-before has less in
// it than before. So the clocks of the graph are those of C++20, which only grow, and these here
// are worked out for a graph as it is.
#pragma once

#include "graph/graph.hpp"

namespace fencepost::checker {

class ReleaseSequences {
 public:
  // Works out the clocks of the graph.
  void of(Graph& graph);

  // As Graph::hb, of the graph as it was last worked out.
  Graph::Clock hb(EventId e) const {
    if (!differs_) return graph_->hb(e);
    return clocks_.data() + (std::size_t{first_[e.thread()]} + e.index()) * threads_;
  }
  bool happens_before(EventId a, EventId b) const { return Graph::includes(hb(b), a); }

  // Coherence of [intro.races] by these clocks; the graph's own are looked after by whoever built
  // it.
  bool coherent();

 private:
  bool continued_by_a_store();
  void compute(EventId e);
  // Back along the modification order of a piece of memory, from a write that is in the sequence.
  struct Way {
    LocationId location;
    EventId write;
    bool stores;  // between the head and what is read, if any, are stores, all by this thread:
    unsigned thread;
    std::uint32_t first;  // the index of the first of them
  };
  void join_sequences_of(LocationId location, EventId write, std::uint16_t* into);
  void go_back(Way way, std::uint16_t* into);
  void go_by_other_bytes(EventId update, const Way& way);
  void join_all_of(EventId read, std::uint16_t* into);

  std::uint16_t* row(EventId e) {
    return clocks_.data() + (std::size_t{first_[e.thread()]} + e.index()) * threads_;
  }
  void join(std::uint16_t* into, EventId e) {
    const std::uint16_t* from = row(e);
    for (unsigned t = 0; t < threads_; ++t) {
      if (from[t] > into[t]) into[t] = from[t];
    }
  }

  Graph* graph_ = nullptr;
  bool differs_ = false;
  unsigned threads_ = 0;
  std::uint32_t first_[kMaxThreads] = {};  // where the rows of each thread begin
  Array<std::uint16_t> clocks_;
  Array<Way> ways_;    // that are still to be gone
  Array<Way> passed_;  // read-modify-writes of several pieces that have been met so
};

}  // namespace fencepost::checker
