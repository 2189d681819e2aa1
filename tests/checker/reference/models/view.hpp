// SPDX-License-Identifier: MIT
//
// What the axioms of several models need of a candidate: sets of events and derived relations.
#pragma once

#include <cstddef>
#include <vector>

#include "models/axioms.hpp"

namespace reference {

// The sets of events and the derived relations that several axioms need.
struct view {
  explicit view(const candidate& c)
      : size(static_cast<int>(c.events.size())), same_location(size), external(size) {
    for (int a = 0; a < size; ++a) {
      const event& e = c.events[static_cast<std::size_t>(a)];
      const event_set self = singleton(a);
      everything |= self;
      if (e.what == event::kind::read) reads |= self;
      if (e.what == event::kind::write) writes |= self;
      if (e.what == event::kind::fence) fences |= self;
      if (e.thread < 0) {
        initial |= self;
      } else {
        const bool acquires = e.order == litmus::order::acquire ||
                              e.order == litmus::order::acq_rel ||
                              e.order == litmus::order::seq_cst;
        const bool releases = e.order == litmus::order::release ||
                              e.order == litmus::order::acq_rel ||
                              e.order == litmus::order::seq_cst;
        if (acquires && e.what != event::kind::write) acquire |= self;
        if (releases && e.what != event::kind::read) release |= self;
        if (e.order == litmus::order::seq_cst) seq_cst |= self;
      }
      if (e.locked) locked |= self;
      if (e.side == event::asymmetry::heavy) heavy |= self;
      for (int b = 0; b < size; ++b) {
        const event& f = c.events[static_cast<std::size_t>(b)];
        if (e.location >= 0 && f.location >= 0 && e.location < f.location + f.width &&
            f.location < e.location + e.width) {
          same_location.add(a, b);
        }
        if (e.thread != f.thread) external.add(a, b);
      }
    }
    // fr = rf^-1;mo without the identity, which a read-modify-write of one event would add; here
    // its read and its write are two events.
    if (c.rf_at.empty()) {
      from_read_at.push_back(c.rf.inverse().then(c.mo));
      eco_at.push_back((c.rf | c.mo | from_read_at[0]).transitive());
    }
    for (std::size_t l = 0; l < c.rf_at.size(); ++l) {
      from_read_at.push_back(c.rf_at[l].inverse().then(c.mo_at[l]));
      eco_at.push_back((c.rf_at[l] | c.mo_at[l] | from_read_at[l]).transitive());
    }
    from_read = eco = relation(size);
    for (std::size_t l = 0; l < eco_at.size(); ++l) {
      from_read = from_read | from_read_at[l];
      eco = eco | eco_at[l];
    }
  }

  int size;
  event_set everything = 0, reads = 0, writes = 0, fences = 0, initial = 0;
  event_set acquire = 0, release = 0, seq_cst = 0, locked = 0, heavy = 0;
  // Those of single locations are put together, but no paths are made of several locations.
  relation same_location, external, from_read, eco;
  std::vector<relation> from_read_at, eco_at;
};

// No write comes between the read and the write of a read-modify-write.
inline bool atomic(const candidate& c, const view& v) {
  if (c.mo_at.empty()) return (c.rmw & v.from_read.then(c.mo)).empty();
  for (std::size_t l = 0; l < c.mo_at.size(); ++l) {
    if (!(c.rmw & v.from_read_at[l].then(c.mo_at[l])).empty()) return false;
  }
  return true;
}

// Accesses of several locations: two writes come in one order wherever they meet, and who reads a
// location from a write reads no other location of it from before that write.
inline bool whole(const candidate& c) {
  for (std::size_t l = 0; l < c.mo_at.size(); ++l) {
    for (std::size_t m = 0; m < c.mo_at.size(); ++m) {
      if (!(c.mo_at[l] & c.mo_at[m].inverse()).empty()) return false;
      if (!(c.mo_at[m].then(c.rf_at[l]) & c.rf_at[m]).empty()) return false;
    }
  }
  return true;
}

// The order of heavy fences that follows from paths by way of at most one light point between any
// two of them. `path` holds the paths between fences that the model knows.
inline relation heavy_order(const candidate& c, const view& v, const relation& path) {
  return (path | path.then(c.light).then(path)).between(v.heavy, v.heavy);
}

// Before everything else is initialised.
inline relation creation(const view& v) {
  return relation::product(v.size, v.initial, v.everything & ~v.initial);
}

// C++14, in axioms_cpp14.cpp.
bool consistent_cpp14(const candidate& c, const view& v);

}  // namespace reference
