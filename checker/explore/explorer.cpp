// SPDX-License-Identifier: MIT
#include "explore/explorer.hpp"

#include <new>

#include "explore/lock_order.hpp"
#include "explore/symmetry.hpp"

namespace fencepost::checker {

Explorer::Branch* Explorer::take_branch() {
  if (!spare_.empty()) {
    Branch* b = spare_.back();
    spare_.pop_back();
    return b;
  }
  auto* b = new (storage_take(sizeof(Branch))) Branch{};
  b->graph = new (storage_take(sizeof(Graph))) Graph;
  return b;
}

void Explorer::give_branch(Branch* branch) {
  branch->graph->clear();
  branch->items.clear();
  spare_.push_back(branch);
}

void Explorer::start() { go_into(take_branch()); }

void Explorer::clear() {
  for (Branch* b : path_) give_branch(b);
  path_.clear();
  graph_ = nullptr;
  revisits_ = 0;
}

bool Explorer::next() {
  while (!path_.empty()) {
    Branch* top = path_.back();
    if (top->items.empty()) {
      give_branch(top);
      leave_last();
      continue;
    }
    const Item item = top->items.back();
    top->items.pop_back();
    if (apply(item) && in_order_with_twins(item)) return true;
  }
  return false;
}

// Is the graph still the one of its class that is explored, now that the item has been applied?
bool Explorer::in_order_with_twins(const Item& item) {
  if (!symmetry_ || item.step == Step::as_it_is) return true;
  Graph& g = graph();
  if (item.step == Step::revisit) return in_order(g, EventId{item.argument});
  if (!in_order(g, item.event)) return false;
  if (item.step != Step::other_place) return true;
  const Event& e = g.at(item.event);
  for (LocationId at = e.location; at <= e.location + e.more; ++at) {
    for (EventId r : g.location(at).reads) {
      if (g.source(r, at) == item.event && !in_order(g, r)) return false;
    }
  }
  return true;
}

bool Explorer::consistent(Graph& g) { return model_->consistent(g) && locks_are_ordered(g); }

// Remembers an alternative to what the execution does now.
void Explorer::offer(Step step, EventId event, std::uint32_t argument, std::uint32_t which) {
  path_.back()->items.push_back({step, graph().last_stamp(), event, argument, which});
}

bool Explorer::apply(const Item& item) {
  Graph& g = graph();
  g.cut(item.stamp);
  switch (item.step) {
    case Step::other_source:
      if (g.at(item.event).more != 0) {
        return take_sources(item.event, item.which) && consistent(g);
      }
      g.set_source(item.event, EventId{item.argument});
      return reads_coherently(item.event) && consistent(g);
    case Step::other_place:
      if (g.at(item.event).more != 0) {
        if (!take_places(item.event, item.which)) return false;
      } else {
        g.move_write(item.event, item.argument);
      }
      return readers_agree(item.event) && consistent(g);
    case Step::other_option:
      g.set_option(item.event, item.argument);
      return true;
    case Step::revisit:
      return revisit(item);
    case Step::overtake:
      return overtake(item);
    case Step::as_it_is:
      return true;
  }
  return false;
}

EventId Explorer::add_event(unsigned thread, const Event& event) {
  return graph().add(thread, event);
}

EventId Explorer::add_forced_read(unsigned thread, const Event& read) {
  Event e = read;
  e.flags |= kForced;
  return graph().add(thread, e);
}

EventId Explorer::add_read(unsigned thread, Event& e, const MixedSize* mixed) {
  Graph& g = graph();
  const EventId previous = event_id(thread, g.size(thread) - 1);
  if (e.more != 0) {
    MixedSize newest = *mixed;
    for (unsigned k = 0; k <= e.more; ++k) {
      const Location& l = g.location(e.location + k);
      newest.at[k] = l.writes.empty() ? kInitial.raw : l.writes.back().raw;
    }
    const EventId id = g.add(thread, e, &newest);
    offer_sources(id);
    return id;
  }
  Location& l = g.location(e.location);
  const std::uint32_t newest = l.writes.size();
  const std::uint32_t lowest = g.lowest_rank(e.location, g.hb(previous));
  e.from = newest == 0 ? kInitial : l.writes[newest - 1];
  const EventId id = g.add(thread, e);
  const EventId twin = g.twin_of(id);
  const auto has_taken = [&](EventId reader, EventId w) {
    const Event& r = g.at(reader);
    return r.kind == Kind::read && succeeds(r) && r.location == e.location && r.from == w;
  };
  if (twin != kInitial) {
    const EventId source = default_source(g, id, [](EventId) { return true; });
    if (source != e.from) {
      g.set_source(id, source);
      if (has_taken(twin, source) || !consistent(g)) symmetry_is_broken_ = true;
    }
  }
  for (std::uint32_t rank = lowest; rank <= newest; ++rank) {
    const EventId w = rank == 0 ? kInitial : l.writes[rank - 1];
    if (w == g.at(id).from) continue;
    const bool pairs = (e.flags & kCompare) == 0 || fits(e, g.value_of(e.location, w));
    // A lock that reads an old "held" would sleep for ever on stale news: nothing follows from it.
    if ((e.flags & kAwait) != 0 && !pairs) continue;
    if ((e.flags & kRmw) != 0 && pairs) {
      // Two successful read-modify-writes of one write cannot both stay. If the other one is in the
      // past it will; otherwise our write half may yet take its place.
      const EventId rival = g.rmw_reader(e.location, w, id);
      if (rival != kInitial && g.porf_before(rival, previous)) continue;
      if (twin != kInitial && has_taken(twin, w)) continue;
      if (rival != kInitial && takes_its_turn(g.at(rival))) {
        if (may_overtake(id, w, rival)) offer(Step::overtake, id, w.raw);
        continue;
      }
    }
    offer(Step::other_source, id, w.raw);
  }
  return id;
}

EventId Explorer::add_choice(unsigned thread, const Event& choice) {
  Graph& g = graph();
  const EventId id = g.add(thread, choice);
  for (std::uint32_t option = 1; option < choice.operand; ++option) {
    offer(Step::other_option, id, option);
  }
  return id;
}

// Would a write at this place come between a read-modify-write and the write it read?
bool Explorer::splits_rmw(LocationId location, std::uint32_t place) {
  Graph& g = graph();
  Location& l = g.location(location);
  return place < l.writes.size() && (g.at(l.writes[place]).flags & kRmw) != 0;
}

bool Explorer::add_write(unsigned thread, const Event& write, EventId* added,
                         const MixedSize* mixed) {
  Graph& g = graph();
  const EventId previous = event_id(thread, g.size(thread) - 1);
  Location& l = g.location(write.location);
  const std::uint32_t last_place = l.writes.size();

  if (write.more != 0) {
    const bool rmw = (write.flags & kRmw) != 0;
    *added = g.add(thread, write, mixed);
    bool sound = true;
    if (rmw) {
      sound = place_after_sources(*added) && !has_rival(*added);
    } else {
      offer_places(*added);
    }
    push_revisits(*added);
    return sound && (!rmw || consistent(g));
  }

  if ((write.flags & kRmw) != 0) {
    const EventId own_read = event_id(thread, write.rmw_read);
    const EventId source = g.at(own_read).from;
    const EventId rival = g.rmw_reader(write.location, source, own_read);
    const std::uint32_t place = g.rank(source, write.location);
    *added = g.add(thread, write);
    g.move_write(*added, place);
    push_revisits(*added);
    return rival == kInitial && (place == last_place || consistent(g));
  }

  // The write of a non-atomic addition at the end of the modification order, its read not from
  // there: a heavy fence may now lie between them.
  const bool parted =
      (write.flags & kNonatomic) != 0 && g.rank(g.at(previous).from, write.location) != last_place;
  const std::uint32_t lowest = g.lowest_rank(write.location, g.hb(previous));
  *added = g.add(thread, write);
  for (std::uint32_t place = lowest; place < last_place; ++place) {
    if (splits_rmw(write.location, place)) continue;
    offer(Step::other_place, *added, place);
  }
  push_revisits(*added);
  return !parted || consistent(g);
}

// Was e added maximally, seen from what was there before it and what stays when `write` has
// revisited a read: the write's past, for the most part?
bool Explorer::added_maximally(EventId id, EventId write, Graph::Clock kept) {
  Graph& g = graph();
  const Event& e = g.at(id);
  const auto previous = [&](EventId x) {
    return x != write && (g.at(x).stamp <= e.stamp || Graph::includes(kept, x));
  };
  switch (e.kind) {
    case Kind::choice:
      return e.value == 0;
    case Kind::read: {
      if ((e.flags & kForced) != 0) return true;
      if ((e.flags & kOvertook) != 0) return false;
      if (e.more == 0 && g.twin_of(id) != kInitial) {
        return e.from == default_source(g, id, previous);
      }
      for (LocationId at = e.location; at <= e.location + e.more; ++at) {
        const EventId from = g.source(id, at);
        if (from != kInitial && !previous(from)) return false;
        Location& l = g.location(at);
        for (std::uint32_t k = g.rank(from, at); k < l.writes.size(); ++k) {
          if (previous(l.writes[k])) return false;
        }
      }
      return true;
    }
    case Kind::write:
      for (LocationId at = e.location; at <= e.location + e.more; ++at) {
        Location& l = g.location(at);
        for (EventId r : l.reads) {
          if (g.source(r, at) == id && previous(r)) return false;
        }
        if ((e.flags & kRmw) != 0) continue;  // its place follows from its read
        for (std::uint32_t k = g.rank(id, at); k < l.writes.size(); ++k) {
          if (previous(l.writes[k])) return false;
        }
      }
      return true;
    default:
      return true;
  }
}

void Explorer::push_revisits(EventId write) {
  Graph& g = graph();
  Graph::Clock past = g.porf(write);
  candidates_.clear();
  std::uint32_t oldest = 0xffffffffU;
  const Event& w = g.at(write);
  for (LocationId at = w.location; at <= w.location + w.more; ++at) {
    for (EventId r : g.location(at).reads) {
      const Event& e = g.at(r);
      if (Graph::includes(past, r) || (e.flags & kForced) != 0) continue;
      if (e.more != 0) {
        const LocationId first = e.location > w.location ? e.location : w.location;
        if (at == first) offer_revisits(write, r);
        continue;
      }
      candidates_.push_back(r);
      if (e.stamp < oldest) oldest = e.stamp;
    }
  }
  if (candidates_.empty()) return;
  // Whatever is younger than the read and not in the write's past goes; all of it, and the read,
  // must have been added maximally. So nothing at or before the youngest that was not can be
  // revisited.
  std::uint32_t barrier = 0;
  for (unsigned t = 0; t < g.threads(); ++t) {
    for (std::uint32_t i = g.size(t); i-- > past[t];) {
      const EventId e = event_id(t, i);
      const std::uint32_t stamp = g.at(e).stamp;
      if (stamp < oldest || stamp <= barrier) break;
      if (e != write && !added_maximally(e, write, past)) barrier = stamp;
    }
  }
  for (EventId r : candidates_) {
    if (g.at(r).stamp > barrier) offer(Step::revisit, write, r.raw);
  }
}

void Explorer::take_back(std::uint32_t stamp, Graph::Clock kept) {
  Graph& old = graph();
  std::uint32_t lengths[kMaxThreads];
  for (unsigned t = 0; t < old.threads(); ++t) {
    std::uint32_t n = old.size(t);
    while (n > kept[t] && old.at(t, n - 1).stamp >= stamp) --n;
    lengths[t] = n;
  }
  ++revisits_;
  if (path_.back()->items.empty()) {
    old.restrict_to(lengths);  // nobody needs the larger graph any more
    return;
  }
  Branch* fresh = take_branch();
  fresh->graph->copy_prefix(old, lengths);
  go_into(fresh);
}

bool Explorer::revisit(const Item& item) {
  const EventId write = item.event;
  const EventId read{item.argument};
  Graph& old = graph();
  const bool pieces = old.at(read).more != 0;
  std::uint32_t sources[kMostPieces];
  std::uint16_t kept[kMaxThreads];
  if (pieces) {
    if (!find_sources(read, write, item.which, sources)) return false;
    keep_with(sources, read, kept);
  }
  take_back(old.at(read).stamp + 1, pieces ? kept : old.porf(write));
  Graph& g = graph();
  if (pieces) {
    g.set_sources(read, sources);
  } else {
    g.set_source(read, write);
  }
  if (pieces || g.at(write).more != 0) return place_revisiting(write);
  const LocationId location = g.at(write).location;
  const auto lowest_after = [&](EventId e) {
    return g.lowest_rank(location, g.hb(event_id(e.thread(), e.index() - 1)));
  };
  Location& l = g.location(location);
  if ((g.at(write).flags & kRmw) != 0) {
    const EventId own_read = event_id(write.thread(), g.at(write).rmw_read);
    const EventId source = g.at(own_read).from;
    if (g.rmw_reader(location, source, own_read) != kInitial) return false;
    if (lowest_after(read) > g.at(write).mo || !reads_coherently(read)) return false;
    return g.at(write).mo + 1 == l.writes.size() || consistent(g);
  }
  g.move_write(write, l.writes.size() - 1);
  const std::uint32_t a = lowest_after(read);
  const std::uint32_t b = lowest_after(write);
  for (std::uint32_t place = a > b ? a : b; place + 1 < l.writes.size(); ++place) {
    if (splits_rmw(location, place)) continue;
    offer(Step::other_place, write, place);
  }
  return (g.at(write).flags & kNonatomic) == 0 || consistent(g);
}

}  // namespace fencepost::checker
