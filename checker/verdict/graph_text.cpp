// SPDX-License-Identifier: MIT
#include "verdict/graph_text.hpp"

#include <initializer_list>

#include "execution/execution.hpp"
#include "execution/objects.hpp"
#include "graph/state_section.hpp"
#include "sync/barriers/arrivals.hpp"
#include "verdict/names.hpp"
#include "verdict/schedule.hpp"

namespace fencepost::checker::report {
namespace {

FENCEPOST_CHECKER_STATE constinit Schedule schedule;

void add_source(Text& text, EventId from) {
  if (from == kInitial) {
    text.add(",\"rf\":\"init\"");
  } else {
    text.add(",\"rf\":[%u,%u]", from.thread(), from.index());
  }
}

// Of an access of bytes that are accessed in other sizes too: piece by piece.
void add_pieces(Text& text, Graph& g, EventId id) {
  const Event& e = g.at(id);
  if (e.size > 8)
    text.add(",\"high\":%lu", static_cast<unsigned long>(g.mixed_size(id).value_high));
  text.add(",\"pieces\":[");
  for (unsigned k = 0; k <= e.more; ++k) {
    const Object& o = objects[e.location + k];
    const EventId w = e.kind == Kind::read ? g.source(id, e.location + k) : id;
    text.add("%s{\"loc\":%lu,\"size\":%u,\"val\":%lu", k == 0 ? "" : ",",
             static_cast<unsigned long>(o.address), o.size,
             static_cast<unsigned long>(g.value_of(e.location + k, w)));
    if (e.kind == Kind::read) add_source(text, w);
    text.add("}");
  }
  text.add("]");
}

// A read-write lock is told of as one object with one order. It is several words
// (sync/locks/read_write_locks.cpp), and no more is known of readers than that their steps may come
// so.
bool is_one_of_several_words(LocationId l) { return objects[l].kind == ObjectKind::rwlock; }

// The changes of the lock that an operation on all of its words comes after, those of one word
// each.
void add_changes(Text& text, Graph& g, EventId id) {
  const Event& e = g.at(id);
  text.add(",\"pieces\":[");
  bool first = true;
  for (unsigned k = 0; k <= e.more; ++k) {
    const EventId w = g.source(id, e.location + k);
    bool told = false;
    for (unsigned j = 0; j < k && !told; ++j) told = g.source(id, e.location + j) == w;
    if (told) continue;
    text.add("%s{\"loc\":%lu,\"size\":1,\"val\":%lu", first ? "" : ",",
             static_cast<unsigned long>(objects[e.location].address),
             static_cast<unsigned long>(g.value_of(e.location + k, w)));
    add_source(text, w);
    text.add("}");
    first = false;
  }
  text.add("]");
}

// The last change of the lock that the read comes after; of one that finds it held, the last that
// left it so.
EventId last_change(Graph& g, EventId read) {
  const Event& e = g.at(read);
  for (const bool any : {false, true}) {
    for (std::uint32_t s = schedule.events().size(); s-- > 0;) {
      for (unsigned k = 0; k <= e.more; ++k) {
        const EventId w = g.source(read, e.location + k);
        if (w.raw == schedule.events()[s] && (any || g.value_of(e.location + k, w) != 0)) return w;
      }
    }
  }
  return kInitial;
}

// What happens before it, and which stores have not reached memory by then.
void add_time(Text& text, Graph& g, std::uint32_t step) {
  const EventId id{schedule.events()[step]};
  const Model& model = *execution.options.model;
  const Graph::Clock hb = model.clock == nullptr ? g.hb(id) : model.clock(id);
  text.add(",\"hb\":[");
  for (unsigned t = 0; t < g.threads(); ++t) text.add("%s%u", t == 0 ? "" : ",", hb[t]);
  text.add("]");
  const std::uint32_t* const end = schedule.waiting_end(step);
  const std::uint32_t* store = schedule.waiting_begin(step);
  if (store == end) return;
  text.add(",\"waiting\":[");
  for (const char* comma = ""; store != end; ++store, comma = ",") {
    const EventId w{*store};
    text.add("%s[%u,%u]", comma, w.thread(), w.index());
  }
  text.add("]");
}

void add_event(Text& text, Graph& g, std::uint32_t step, bool whole) {
  const EventId id{schedule.events()[step]};
  const Event& e = g.at(id);
  text.add("%s{\"t\":%u,\"i\":%u,\"k\":\"%s\",\"pc\":%lu", step == 0 ? "" : ",", id.thread(),
           id.index(), name(e.kind), static_cast<unsigned long>(e.pc));
  if (e.what != Operation::none) text.add(",\"what\":\"%s\"", name(e));
  if (e.kind == Kind::fence) text.add(",\"order\":\"%s\"", name(e.order));
  if (e.kind == Kind::create || e.kind == Kind::join) {
    const bool latch = e.what == Operation::latch_init || e.what == Operation::latch_count_down;
    const bool at =
        latch || e.what == Operation::barrier_arrive || e.what == Operation::barrier_completed;
    text.add(",\"%s\":%lu", at ? "loc" : "thread", static_cast<unsigned long>(e.operand));
    if (latch) text.add(",\"val\":%lu", static_cast<unsigned long>(arrivals::count_of(e)));
  }
  if (e.kind == Kind::join && e.what != Operation::none && e.from != kInitial) {
    text.add(",\"rf\":[%u,%u]", e.from.thread(), e.from.index());
  }
  if (e.kind == Kind::choice) {
    text.add(",\"val\":%lu,\"options\":%lu", static_cast<unsigned long>(e.value),
             static_cast<unsigned long>(e.operand));
  }
  if (e.kind == Kind::read || e.kind == Kind::write) {
    const Object& o = objects[e.location];
    const bool rmw = e.kind == Kind::write ? (e.flags & kRmw) != 0 : succeeds(e);
    text.add(",\"rmw\":%s,\"order\":\"%s\",\"loc\":%lu,\"object\":\"%s\",\"size\":%u,\"val\":%lu",
             rmw ? "true" : "false", name(e.order), static_cast<unsigned long>(o.address),
             name(o.kind), e.size, static_cast<unsigned long>(e.value));
  }
  const bool words = e.more != 0 && is_one_of_several_words(e.location);
  if (e.kind == Kind::read) {
    add_source(text, words ? last_change(g, id) : e.from);
    if (words) add_changes(text, g, id);
  }
  const bool access = e.kind == Kind::read || e.kind == Kind::write;
  if (access && objects.is_cut(e.location)) add_pieces(text, g, id);
  if (whole) add_time(text, g, step);
  text.add("}");
}

void add_changes_in_order(Text& text, Graph& g, LocationId lock) {
  bool first = true;
  for (const std::uint32_t step : schedule.events()) {
    const EventId id{step};
    const Event& e = g.at(id);
    if (e.kind != Kind::write || e.location - lock >= kLockWords) continue;
    text.add("%s[%u,%u]", first ? "" : ",", id.thread(), id.index());
    first = false;
  }
  text.add("]}");
}

void add_modification_orders(Text& text, Graph& g) {
  bool first = true;
  for (LocationId l : g.active()) {
    const Object& o = objects[l];
    const LocationId lock = l - o.size;
    if (is_one_of_several_words(l)) {
      bool told = false;
      for (LocationId other = lock; other < l; ++other) {
        told = told || !g.location(other).untouched();
      }
      if (told) continue;
    }
    text.add("%s{\"loc\":%lu,\"object\":\"%s\",\"size\":%u,\"order\":[", first ? "" : ",",
             static_cast<unsigned long>(o.address), name(o.kind), o.size);
    first = false;
    if (is_one_of_several_words(l)) {
      add_changes_in_order(text, g, lock);
      continue;
    }
    Location& location = g.location(l);
    for (std::uint32_t k = 0; k < location.writes.size(); ++k) {
      text.add("%s[%u,%u]", k == 0 ? "" : ",", location.writes[k].thread(),
               location.writes[k].index());
    }
    text.add("]}");
  }
}

}  // namespace

void add_graph(Text& text, Graph& g, bool whole) {
  const bool scheduled = schedule.make(g, *execution.options.model, whole);
  text.add("\"scheduled\":%s,\"events\":[", scheduled ? "true" : "false");
  const std::uint32_t count = schedule.events().size();
  for (std::uint32_t s = 0; s < count; ++s) add_event(text, g, s, whole);
  text.add("],\"mo\":[");
  add_modification_orders(text, g);
  text.add("]");
}

}  // namespace fencepost::checker::report
