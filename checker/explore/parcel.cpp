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
      const Item& item = b->items[k];
      put(out, static_cast<std::uint32_t>(item.step));
      put(out, item.stamp);
      put(out, item.event);
      put(out, item.argument);
      put(out, item.which);
    }
  }
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
      const Graph& g = *b->graph;
      const auto known = [&g](EventId e) {
        return e.thread() < g.threads() && e.index() < g.size(e.thread());
      };
      const bool source = item.step == Step::other_source || item.step == Step::revisit;
      const EventId argument{item.argument};
      if (step > static_cast<std::uint32_t>(Step::as_it_is) || !known(item.event) ||
          (source && argument != kInitial && !known(argument))) {
        in->fail();
        break;
      }
      b->items.push_back(item);
    }
  }
  return in->ok();
}

}  // namespace fencepost::checker
