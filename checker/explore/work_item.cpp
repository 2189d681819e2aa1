// SPDX-License-Identifier: MIT
// What is still to be explored, as bytes: for each branch its graph, as far as its alternatives
// need it, and the alternatives.
//
// An alternative is taken by cutting its branch's graph to a stamp and changing the event that was
// added then. Whatever the search has done since it put the alternative aside concerned younger
// events, or the choice for that very event, which is made anew. Hence it makes no difference when
// it is taken, nor by whom.
#include "explore/explorer.hpp"

namespace fencepost::checker {

std::uint32_t Explorer::alternatives() const {
  std::uint32_t n = 0;
  for (const Branch* b : path_) n += b->items.size();
  return n;
}

void Explorer::write(Bytes* out, const Places& places, std::uint32_t count) const {
  for (const Branch* b : path_) {
    const std::uint32_t n = b->items.size() < count ? b->items.size() : count;
    if (n == 0) continue;
    count -= n;
    std::uint32_t stamp = 0;
    for (std::uint32_t k = 0; k < n; ++k) {
      if (b->items[k].stamp > stamp) stamp = b->items[k].stamp;
    }
    b->graph->write(out, places, stamp);
    put(out, n);
    for (std::uint32_t k = 0; k < n; ++k) {
      put_item(out, b->items[k]);
    }
  }
}

void Explorer::put_item(Bytes* out, const Item& item) {
  put(out, static_cast<std::uint32_t>(item.step));
  put(out, item.stamp);
  put(out, item.event);
  put(out, item.argument);
  put(out, item.which);
}

void Explorer::write_graph(Bytes* out, const Places& places) const {
  const std::uint32_t stamp = graph_->last_stamp();
  graph_->write(out, places, stamp);
  put(out, std::uint32_t{1});
  put_item(out, {Step::as_it_is, stamp, event_id(0, 0), 0, 0});
}

void Explorer::give_up(std::uint32_t count) {
  for (Branch* b : path_) {
    const std::uint32_t n = b->items.size() < count ? b->items.size() : count;
    if (n == 0) continue;
    count -= n;
    for (std::uint32_t k = n; k < b->items.size(); ++k) b->items[k - n] = b->items[k];
    b->items.truncate(b->items.size() - n);
  }
}

void Explorer::put_back() { offer(Step::as_it_is, event_id(0, 0), 0); }

// Could the search have put this aside? Whoever wrote it may have made it up, and apply() takes its
// word. What it must be besides, coherence is asked for later (witness.cpp).
bool Explorer::may_apply(Graph& g, const Item& item) {
  const auto is_there = [&](EventId e) {
    return e.thread() < g.threads() && e.index() < g.size(e.thread()) &&
           g.at(e).stamp <= item.stamp;
  };
  if (item.step == Step::as_it_is) return g.size(0) != 0;
  if (!is_there(item.event)) return false;
  const Event& e = g.at(item.event);
  const unsigned next = item.event.index() + 1U;
  // Once the graph is cut to the stamp it is the last of its thread.
  if (next < g.size(item.event.thread()) && g.at(item.event.thread(), next).stamp <= item.stamp) {
    return false;
  }
  const EventId argument{item.argument};
  switch (item.step) {
    case Step::other_source:
      if (e.kind != Kind::read || item.event.index() == 0) return false;
      return e.more != 0 || argument == kInitial ||
             (is_there(argument) && g.at(argument).kind == Kind::write &&
              Graph::touches(g.at(argument), e.location) && !g.porf_before(item.event, argument));
    case Step::overtake: {
      if (e.kind != Kind::read || e.more != 0 || item.event.index() == 0) return false;
      if (argument != kInitial && (!is_there(argument) || g.porf_before(item.event, argument)))
        return false;
      const EventId rival = g.rmw_reader(e.location, argument, item.event);
      return rival != kInitial && is_there(rival) && takes_its_turn(g.at(rival)) &&
             !g.porf_before(rival, event_id(item.event.thread(), item.event.index() - 1U)) &&
             (argument == kInitial || !g.porf_before(rival, argument));
    }
    case Step::other_place: {
      if (e.kind != Kind::write || (e.flags & kRmw) != 0) return false;
      std::uint32_t places = 0;
      for (EventId w : g.location(e.location).writes) places += is_there(w) ? 1 : 0;
      return e.more != 0 || item.argument < places;
    }
    case Step::other_option:
      return e.kind == Kind::choice && item.argument < e.operand;
    case Step::revisit:
      return e.kind == Kind::write && is_there(argument) && g.at(argument).kind == Kind::read &&
             Graph::overlap(e, g.at(argument)) && (g.at(argument).flags & kForced) == 0 &&
             !g.porf_before(argument, item.event);
    case Step::as_it_is:
      break;
  }
  return false;
}

bool Explorer::read(BytesIn* in, const Places& places) {
  while (in->ok() && in->left() != 0) {
    Branch* b = take_branch();
    go_into(b);
    if (!b->graph->read(in, places)) break;
    const auto n = in->take<std::uint32_t>();
    for (std::uint32_t k = 0; k < n && in->ok(); ++k) {
      Item item{};
      const auto step = in->take<std::uint32_t>();
      item.step = static_cast<Step>(step);
      item.stamp = in->take<std::uint32_t>();
      item.event = in->take<EventId>();
      item.argument = in->take<std::uint32_t>();
      item.which = in->take<std::uint32_t>();
      if (step > static_cast<std::uint32_t>(Step::as_it_is) || !may_apply(*b->graph, item)) {
        in->fail();
        break;
      }
      b->items.push_back(item);
    }
  }
  return in->ok();
}

}  // namespace fencepost::checker
