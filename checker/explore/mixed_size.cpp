// SPDX-License-Identifier: MIT
// The search where accesses have several locations (graph/mixed_size.hpp).
//
// Most of it is as in explorer.cpp: what is newest in every location comes first, and an event was
// added maximally if it was so in every one of them. What differs:
//
// A read has as many alternatives as there are ways to choose a write for each of its locations,
// and a write as many as there are ways to place it. They are counted through in a fixed order, and
// an alternative is remembered by its number.
//
// A write that revisits a read need not give it everything, and what it does not give may come from
// other writes that are younger than the read. All the writes that it then reads stay, with their
// past, and the read, like whatever is taken back, must have been added maximally seen from there.
// Of several young writes one must be the last to come, or the graph would be reached once for each
// of them: of those in nobody else's past, that of the thread with the highest number, since
// threads with lower numbers go first.
//
// A read that waits for a value, as that of a writer who comes to a read-write lock, is of no use
// before it has found it, as long as what it has found instead is not what is newest: so nothing
// else is tried.
//
// The past of the read may so become larger than that of any one write that it reads, and may hold
// what forbids reading another of them; so coherence is looked at again when the choice is made.
#include "explore/explorer.hpp"

namespace fencepost::checker {
namespace {

// Does a write bring what the read waits for, as far as this location goes?
bool is_awaited(Graph& g, EventId read, LocationId at, EventId w) {
  const Event& e = g.at(read);
  const std::uint32_t first = g.location(at).offset - g.location(e.location).offset;
  const std::uint64_t half = first < 8 ? e.operand : g.mixed_size(read).operand_high;
  const std::uint64_t operand = half >> (8 * (first % 8));
  const unsigned bits = 8 * g.location(at).bytes;
  const std::uint64_t mask = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  const std::uint64_t value = g.value_of(at, w);
  return (((e.flags & kIfClear) != 0 ? value & operand : value ^ operand) & mask) == 0;
}

// Calls `visit` with the sources of each location, for every choice that coherence with what is
// before the read allows; until it says true. What is said of `open`, a write that has no place
// yet, is left to be seen, unless it is that of a read-modify-write, whose place follows from its
// read.
template <typename Visit>
class Sources {
 public:
  Sources(Graph& graph, EventId read, EventId open, Visit visit)
      : g_(graph), read_(read), open_(open), e_(graph.at(read)), visit_(visit) {
    open_has_place_ = open != kInitial && (g_.at(open).flags & kRmw) != 0;
    Graph::Clock before = g_.hb(event_id(read.thread(), read.index() - 1));
    for (unsigned k = 0; k <= e_.more; ++k) lowest_[k] = g_.lowest_rank(e_.location + k, before);
  }

  bool search(unsigned k = 0) {
    if (k > e_.more) return visit_(chosen_);
    const LocationId at = e_.location + k;
    const bool may_be_open = open_ != kInitial && Graph::touches(g_.at(open_), at) &&
                             (!open_has_place_ || agrees(k, open_));
    if (may_be_open && choose(k, open_)) return true;
    for (std::uint32_t rank = g_.location(at).writes.size() + 1; rank-- > lowest_[k];) {
      const EventId w = rank == 0 ? kInitial : g_.location(at).writes[rank - 1];
      if (w != kInitial && (w == open_ || g_.porf_before(read_, w))) continue;
      if (open_ == kInitial && (e_.flags & kAwait) != 0 && !is_awaited(g_, read_, at, w)) continue;
      if (agrees(k, w) && choose(k, w)) return true;
    }
    return false;
  }

 private:
  bool choose(unsigned k, EventId w) {
    chosen_[k] = w.raw;
    return search(k + 1);
  }

  // A read that takes one location from a write takes none that it shares with that write from
  // before it.
  bool agrees(unsigned k, EventId w) const {
    for (unsigned j = 0; j < k; ++j) {
      const EventId other{chosen_[j]};
      if (j != 0 && chosen_[j] == chosen_[j - 1] && meets(w, j) == meets(w, j - 1)) continue;
      if (other == open_ && open_ != kInitial && !open_has_place_) continue;
      if (older(other, w, e_.location + j) || older(w, other, e_.location + k)) return false;
    }
    return true;
  }
  bool meets(EventId w, unsigned k) const {
    return w != kInitial && Graph::touches(g_.at(w), e_.location + k);
  }
  bool older(EventId a, EventId b, LocationId at) const {
    return b != kInitial && Graph::touches(g_.at(b), at) && g_.rank(a, at) < g_.rank(b, at);
  }

  Graph& g_;
  const EventId read_;
  const EventId open_;
  const Event& e_;
  Visit visit_;
  bool open_has_place_;
  std::uint32_t lowest_[kMostPieces];
  std::uint32_t chosen_[kMostPieces];
};

// Calls `visit` with the position in each location, for every place that a write can have: two
// writes come in the same order wherever they meet. Positions do not count the write itself.
template <typename Visit>
class Positions {
 public:
  Positions(Graph& graph, EventId write, Visit visit)
      : g_(graph), write_(write), e_(graph.at(write)), visit_(visit) {}

  bool search(unsigned k = 0) {
    if (k > e_.more) return visit_(chosen_);
    const LocationId at = e_.location + k;
    const Location& l = g_.location(at);
    Graph::Clock before = g_.hb(event_id(write_.thread(), write_.index() - 1));
    std::uint32_t lowest = g_.lowest_rank(at, before);
    if (g_.rank(write_, at) <= lowest) --lowest;
    for (std::uint32_t p = l.writes.size(); p-- > lowest;) {
      chosen_[k] = p;
      if (!splits_rmw(l, at, p) && agrees(k) && search(k + 1)) return true;
    }
    return false;
  }

  // Would this position in location k go with those in the locations before it?
  bool agrees(unsigned k) const {
    const LocationId at = e_.location + k;
    for (EventId u : g_.location(at).writes) {
      if (u == write_ || g_.at(u).more == 0) continue;
      for (unsigned j = 0; j < k; ++j) {
        const LocationId other = e_.location + j;
        if (!Graph::touches(g_.at(u), other)) continue;
        if ((position(u, other) < chosen_[j]) != (position(u, at) < chosen_[k])) return false;
      }
    }
    return true;
  }

  void set(unsigned k, std::uint32_t position) { chosen_[k] = position; }

 private:
  std::uint32_t position(EventId u, LocationId at) const {
    const std::uint32_t rank = g_.rank(u, at);
    return rank > g_.rank(write_, at) ? rank - 2 : rank - 1;
  }
  bool splits_rmw(const Location& l, LocationId at, std::uint32_t p) const {
    if (p + 1 >= l.writes.size()) return false;
    const EventId next = l.writes[p < g_.rank(write_, at) - 1 ? p : p + 1];
    return (g_.at(next).flags & kRmw) != 0;
  }

  Graph& g_;
  const EventId write_;
  const Event& e_;
  Visit visit_;
  std::uint32_t chosen_[kMostPieces];
};

bool coherent(Graph& g, EventId read) {
  const Event& e = g.at(read);
  for (LocationId at = e.location; at <= e.location + e.more; ++at) {
    const EventId w = g.source(read, at);
    if (g.rank(w, at) < g.lowest_rank(at, g.hb(read))) return false;
    if (w == kInitial) continue;
    for (LocationId other = e.location; other <= e.location + e.more; ++other) {
      if (!Graph::touches(g.at(w), other)) continue;
      if (g.rank(g.source(read, other), other) < g.rank(w, other)) return false;
    }
  }
  return true;
}

void copy(std::uint32_t* to, const std::uint32_t* from, unsigned more) {
  std::memcpy(to, from, (more + 1) * sizeof *from);
}

}  // namespace

void Explorer::offer_sources(EventId read) {
  Graph& g = graph();
  std::uint32_t n = 0;
  Sources(g, read, kInitial, [&](const std::uint32_t* sources) {
    bool newest = true;
    for (unsigned k = 0; k <= g.at(read).more; ++k) {
      newest = newest && sources[k] == g.source(read, g.at(read).location + k).raw;
    }
    if (!newest) offer(Step::other_source, read, 0, n);
    ++n;
    return false;
  }).search();
}

bool Explorer::take_sources(EventId read, std::uint32_t which) {
  Graph& g = graph();
  std::uint32_t chosen[kMostPieces];
  if (!find_sources(read, kInitial, which, chosen)) return false;
  g.set_sources(read, chosen);
  return coherent(g, read) && !is_beaten(read);
}

// Has another read-modify-write, of the past, made something else of what this one reads?
bool Explorer::is_beaten(EventId read) {
  Graph& g = graph();
  const Event& e = g.at(read);
  if (!succeeds(e)) return false;
  const EventId previous = event_id(read.thread(), read.index() - 1);
  for (LocationId at = e.location; at <= e.location + e.more; ++at) {
    const EventId rival = g.rmw_reader(at, g.source(read, at), read);
    if (rival != kInitial && g.porf_before(rival, previous)) return true;
  }
  return false;
}

bool Explorer::find_sources(EventId read, EventId open, std::uint32_t which,
                            std::uint32_t* chosen) {
  Graph& g = graph();
  std::uint32_t n = 0;
  return Sources(g, read, open,
                 [&](const std::uint32_t* sources) {
                   if (n++ != which) return false;
                   copy(chosen, sources, g.at(read).more);
                   return true;
                 })
      .search();
}

void Explorer::offer_places(EventId write) {
  Graph& g = graph();
  const Event& e = g.at(write);
  std::uint32_t n = 0;
  Positions(g, write, [&](const std::uint32_t* positions) {
    bool newest = true;
    for (unsigned k = 0; k <= e.more; ++k) {
      newest = newest && positions[k] + 1 == g.location(e.location + k).writes.size();
    }
    if (!newest) offer(Step::other_place, write, 0, n);
    ++n;
    return false;
  }).search();
}

bool Explorer::take_places(EventId write, std::uint32_t which) {
  Graph& g = graph();
  const Event& e = g.at(write);
  std::uint32_t chosen[kMostPieces];
  std::uint32_t n = 0;
  const bool found = Positions(g, write, [&](const std::uint32_t* positions) {
                       if (n++ != which) return false;
                       copy(chosen, positions, e.more);
                       return true;
                     }).search();
  for (unsigned k = 0; found && k <= e.more; ++k) g.move_write(write, e.location + k, chosen[k]);
  return found;
}

// Puts the write of a read-modify-write next to what it read; false if it then has no one place
// with regard to another write.
bool Explorer::place_after_sources(EventId write) {
  Graph& g = graph();
  const Event& e = g.at(write);
  const EventId own_read = event_id(write.thread(), e.rmw_read);
  for (LocationId at = e.location; at <= e.location + e.more; ++at) {
    g.move_write(write, at, g.rank(g.source(own_read, at), at));
  }
  Positions positions(g, write, [](const std::uint32_t*) { return true; });
  for (unsigned k = 0; k <= e.more; ++k) {
    positions.set(k, g.rank(write, e.location + k) - 1);
    if (!positions.agrees(k)) return false;
  }
  return true;
}

bool Explorer::has_rival(EventId write) {
  Graph& g = graph();
  const Event& e = g.at(write);
  const EventId own_read = event_id(write.thread(), e.rmw_read);
  for (LocationId at = e.location; at <= e.location + e.more; ++at) {
    if (g.rmw_reader(at, g.source(own_read, at), own_read) != kInitial) return true;
  }
  return false;
}

// Does the read agree with what it synchronises with by itself? That may be about other locations
// than its own: a read-modify-write of several continues the release sequences of all of them.
bool Explorer::reads_coherently(EventId read) {
  Graph& g = graph();
  return !g.may_have_mixed_sizes() || coherent(g, read);
}

// Do those who read from this write, all of them, read coherently, now that it has its place?
bool Explorer::readers_agree(EventId write) {
  Graph& g = graph();
  if (!g.may_have_mixed_sizes()) return true;
  const Event& e = g.at(write);
  for (LocationId at = e.location; at <= e.location + e.more; ++at) {
    for (EventId r : g.location(at).reads) {
      if (g.source(r, at) == write && !coherent(g, r)) return false;
    }
  }
  return true;
}

// What stays besides what is older than the read: its young sources and their past.
void Explorer::keep_with(const std::uint32_t* sources, EventId read, std::uint16_t* kept) {
  Graph& g = graph();
  const Event& e = g.at(read);
  for (unsigned t = 0; t < kMaxThreads; ++t) kept[t] = 0;
  for (unsigned k = 0; k <= e.more; ++k) {
    const EventId w{sources[k]};
    if (w == kInitial || g.at(w).stamp < e.stamp) continue;
    Graph::Clock past = g.porf(w);
    for (unsigned t = 0; t < g.threads(); ++t) {
      if (past[t] > kept[t]) kept[t] = past[t];
    }
  }
}

bool Explorer::may_revisit(EventId write, EventId read, const std::uint32_t* sources) {
  Graph& g = graph();
  const Event& e = g.at(read);
  bool gives = false;
  for (unsigned k = 0; k <= e.more; ++k) gives = gives || EventId{sources[k]} == write;
  if (!gives) return false;
  const auto young = [&](EventId w) { return w != kInitial && g.at(w).stamp > e.stamp; };
  for (unsigned k = 0; k <= e.more; ++k) {
    const EventId w{sources[k]};
    if (!young(w) || w.thread() <= write.thread()) continue;
    bool in_a_past = false;
    for (unsigned j = 0; j <= e.more && !in_a_past; ++j) {
      const EventId other{sources[j]};
      in_a_past = other != w && young(other) && g.porf_before(w, other);
    }
    if (!in_a_past) return false;
  }
  std::uint16_t kept[kMaxThreads];
  keep_with(sources, read, kept);
  if ((e.flags & kAwait) != 0) {
    bool found = true;
    bool newest = true;
    for (unsigned k = 0; k <= e.more; ++k) {
      const LocationId at = e.location + k;
      const EventId w{sources[k]};
      found = found && is_awaited(g, read, at, w);
      Location& l = g.location(at);
      for (std::uint32_t n = g.rank(w, at); n < l.writes.size(); ++n) {
        const EventId x = l.writes[n];
        newest = newest && g.at(x).stamp > e.stamp && !Graph::includes(kept, x);
      }
    }
    if (!found && !newest) return false;
  }
  if (!added_maximally(read, write, kept)) return false;
  for (unsigned t = 0; t < g.threads(); ++t) {
    for (std::uint32_t i = g.size(t); i-- > kept[t];) {
      const EventId x = event_id(t, i);
      if (g.at(x).stamp <= e.stamp) break;
      if (!added_maximally(x, write, kept)) return false;
    }
  }
  return true;
}

void Explorer::offer_revisits(EventId write, EventId read) {
  std::uint32_t n = 0;
  Sources(graph(), read, write, [&](const std::uint32_t* sources) {
    if (may_revisit(write, read, sources)) offer(Step::revisit, write, read.raw, n);
    ++n;
    return false;
  }).search();
}

// After a read has been given `write`: where is that?
bool Explorer::place_revisiting(EventId write) {
  Graph& g = graph();
  const Event& e = g.at(write);
  if ((e.flags & kRmw) != 0) {
    return !has_rival(write) && place_after_sources(write) && readers_agree(write) && consistent(g);
  }
  for (LocationId at = e.location; at <= e.location + e.more; ++at) {
    g.move_write(write, at, g.location(at).writes.size() - 1);
  }
  if (e.more != 0) {
    offer_places(write);
  } else {
    Graph::Clock before = g.hb(event_id(write.thread(), write.index() - 1));
    const std::uint32_t last = e.mo;
    for (std::uint32_t place = g.lowest_rank(e.location, before); place < last; ++place) {
      if (!splits_rmw(e.location, place)) offer(Step::other_place, write, place);
    }
  }
  return readers_agree(write) && consistent(g);
}

}  // namespace fencepost::checker
