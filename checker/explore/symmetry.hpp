// SPDX-License-Identifier: MIT
// Of executions that are the same but for an exchange of identical threads, only one is explored.
// Compare Kokologiannakis, Marmanis and Vafeiadis, "SPORE: Combining Symmetry and Partial Order
// Reduction", PLDI 2024; the order below is our own.
//
// Which one? Identical threads do the same until they read from different writes, take different
// options, or write. There, at the first event in which two of them differ, they are put in order:
// the elder, with the lower number, is the one whose event has fewer events before it (in program
// order and reads-from), and if that does not decide, the one that reads or writes earlier in
// modification order, or takes the higher option. Neither depends on numbers of threads, so every
// class of executions has a member whose threads are in order, and no two that differ.
//
// Why the search finds them all. A thread waits for its elder twin as long as both do the same, and
// this order, too, is part of the past that a revisit keeps (graph/symmetry.cpp). Together with
// program order and reads-from it has no cycle in a graph that is in order, since no step of it
// leads to an event with fewer events before it. A graph that is in order stays so when events are
// taken back from its end; and one that is in order can always be extended to another, by a
// default: read what is newest, if that is in order, else what the elder twin has read. (Of
// read-modify-writes: what the elder twin has made of it, and others after it; so far nobody has
// read the last of those.) The latter is consistent because the elder could do so at the same
// place. (Non-atomic additions, and reads whose pieces may come from several writes, have no such
// default and are not put in order: what comes after one is explored as without twins.) These are
// the properties that TruSt asks for, with this order in place of program order and reads-from, and
// this default in place of the newest write.
#pragma once

#include "graph/graph.hpp"

namespace fencepost::checker {

// Are the event's thread and its twin in order, by what they do here?
bool in_order(Graph& g, EventId e);

// What follows the elder twin's read if the younger may not read the newest write.
template <typename Seen>
EventId after_twin(Graph& g, EventId read, Seen seen) {
  const EventId twin = g.twin_of(read);
  EventId source = g.at(twin).from;
  const LocationId location = g.at(twin).location;
  for (EventId r = succeeds(g.at(twin)) ? twin : kInitial; r != kInitial;) {
    const EventId w = g.end_of_operation(r);
    if (w == r || !seen(w)) break;
    source = w;
    r = g.rmw_reader(location, w, read);
    if (r != kInitial && !seen(r)) r = kInitial;
  }
  return source;
}

// What a read that has a twin reads by default, if the graph has only the events that are `seen`.
template <typename Seen>
EventId default_source(Graph& g, EventId read, Seen seen) {
  Event& e = g.at(read);
  const EventId actual = e.from;
  EventId newest = kInitial;
  for (EventId w : g.location(e.location).writes) {
    if (seen(w)) newest = w;
  }
  e.from = newest;
  const bool newest_will_do = in_order(g, read);
  e.from = actual;
  if (newest_will_do || g.at(g.twin_of(read)).location != e.location) return newest;
  return after_twin(g, read, seen);
}

}  // namespace fencepost::checker
