// SPDX-License-Identifier: MIT
// The search: every consistent execution graph of a program, each exactly once.
//
// This is TruSt (Kokologiannakis, Marmanis, Gladstein, Vafeiadis, "Truly Stateless, Optimal Dynamic
// Partial Order Reduction", POPL 2022). A graph grows by one event at a time. A new read branches
// over the writes it may read, a new write over its places in modification order; a new write also
// revisits reads that were there before it, taking back whatever was added since then and is not in
// the write's past. It does so only from the one graph in which all that is taken back had been
// added "maximally" (reading the newest write, or as the newest write); that is why nothing is seen
// twice. No set of visited graphs is kept: memory is what the current path of the search needs.
//
// The explorer does not run programs. The program layer runs one from the start along graph(), adds
// what the program does beyond the graph, and then asks for the next graph with next().
#pragma once

#include <cstdint>

#include "graph/graph.hpp"
#include "model/model.hpp"

namespace fencepost::checker {

class Explorer {
 public:
  // `symmetry`: of executions that are the same but for an exchange of twins only one
  // (symmetry.hpp).
  void use(const Model* model, bool symmetry = false) {
    model_ = model;
    symmetry_ = symmetry;
  }

  // Starts with the empty graph.
  void start();
  // Forgets everything.
  void clear();
  // After an execution has ended: prepares the next graph; false when everything has been seen.
  bool next();

  Graph& graph() { return *graph_; }

  // Work items (work_item.cpp). What is still to be explored is a pile of alternatives, each the
  // root of a subtree that has nothing to do with the others; so any of them can be explored
  // somewhere else, or later. Between two executions only.
  //
  // How many alternatives there are.
  std::uint32_t alternatives() const;
  // Writes the `count` oldest ones, which tend to have the largest subtrees.
  void write(Bytes* out, const Places& places, std::uint32_t count) const;
  // Leaves them to whoever reads what was written.
  void give_up(std::uint32_t count);
  // Puts back the graph that next() has prepared: to be explored first, but not now.
  void put_back();
  // Writes the graph as it is, as one alternative.
  void write_graph(Bytes* out, const Places& places) const;
  // Puts what was written on the pile; false if it makes no sense.
  bool read(BytesIn* in, const Places& places);
  // Is the graph consistent in every respect? For one that others have had a part in (witness.cpp).
  bool is_execution();

  // Add the next event of a thread. The write of a non-atomic addition follows its read at once. A
  // read has its location, order and flags set and is given its source; add_write says false when
  // the graph became inconsistent and must be abandoned.
  EventId add_event(unsigned thread, const Event& event);
  EventId add_read(unsigned thread, Event& read, const MixedSize* mixed = nullptr);
  // A read whose source is known: no alternatives.
  EventId add_forced_read(unsigned thread, const Event& read);
  [[nodiscard]] bool add_write(unsigned thread, const Event& write, EventId* added,
                               const MixedSize* mixed = nullptr);
  // Adds a choice among `options` and takes the first.
  EventId add_choice(unsigned thread, const Event& choice);

  // What two threads were taken for, the model denies: what one has read the other may not.
  bool symmetry_is_broken() const { return symmetry_is_broken_; }

  std::uint64_t revisits() const { return revisits_; }
  void forget_revisits() { revisits_ = 0; }

 private:
  friend class Estimator;

  enum class Step : std::uint8_t {
    other_source,
    other_place,
    revisit,
    overtake,
    other_option,
    as_it_is
  };
  struct Item {
    Step step;
    std::uint32_t stamp;  // the graph is first cut to this
    EventId event;
    std::uint32_t argument;  // a write to read, a place in modification order, an option
    std::uint32_t which;     // of the ways to do so with several locations (mixed_size.cpp)
  };
  struct Branch {
    Graph* graph;
    Array<Item> items;
  };

  void go_into(Branch* branch) {
    path_.push_back(branch);
    graph_ = branch->graph;
  }
  void leave_last() {
    path_.pop_back();
    graph_ = path_.empty() ? nullptr : path_.back()->graph;
  }
  Branch* take_branch();
  void give_branch(Branch* branch);
  static void put_item(Bytes* out, const Item& item);
  static bool may_apply(Graph& g, const Item& item);
  bool apply(const Item& item);
  bool revisit(const Item& item);
  void push_revisits(EventId write);
  void offer(Step step, EventId event, std::uint32_t argument, std::uint32_t which = 0);
  bool added_maximally(EventId e, EventId write, Graph::Clock kept);
  bool consistent(Graph& g);
  bool splits_rmw(LocationId location, std::uint32_t place);
  bool in_order_with_twins(const Item& item);
  // In the last branch, or in a new one: of what is not in `kept` nothing stays with that stamp or
  // a later one.
  void take_back(std::uint32_t stamp, Graph::Clock kept);

  // Locks whose threads wait for their turn: overtaking.cpp.
  bool may_overtake(EventId read, EventId source, EventId rival);
  bool overtake(const Item& item);

  // Accesses of several locations: mixed_size.cpp.
  void offer_sources(EventId read);
  bool take_sources(EventId read, std::uint32_t which);
  bool is_beaten(EventId read);
  bool find_sources(EventId read, EventId open, std::uint32_t which, std::uint32_t* chosen);
  void offer_places(EventId write);
  bool take_places(EventId write, std::uint32_t which);
  bool place_after_sources(EventId write);
  bool has_rival(EventId write);
  bool reads_coherently(EventId read);
  bool readers_agree(EventId write);
  void offer_revisits(EventId write, EventId read);
  bool may_revisit(EventId write, EventId read, const std::uint32_t* sources);
  void keep_with(const std::uint32_t* sources, EventId read, std::uint16_t* kept);
  bool place_revisiting(EventId write);

  const Model* model_ = nullptr;
  bool symmetry_ = false;
  bool symmetry_is_broken_ = false;
  Array<Branch*> path_;
  Graph* graph_ = nullptr;  // of the last branch on it
  Array<Branch*> spare_;
  Array<EventId> candidates_;
  std::uint64_t revisits_ = 0;
};

}  // namespace fencepost::checker
