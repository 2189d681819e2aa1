// SPDX-License-Identifier: MIT
#include "model/release_sequences.hpp"

#include <cstring>

namespace fencepost::checker {
namespace {

bool is_rmw(const Event& write) { return (write.flags & kRmw) != 0; }

}  // namespace

// May there be a store that continues a sequence and says less than the sequence it continues? A
// release store has in its own past what its thread released before. Behind a read-modify-write of
// several pieces the head may be elsewhere.
bool ReleaseSequences::continued_by_a_store() {
  Graph& g = *graph_;
  for (LocationId id : g.active()) {
    const Array<EventId>& writes = g.location(id).writes;
    for (std::uint32_t k = 1; k < writes.size(); ++k) {
      const Event& e = g.at(writes[k]);
      if (is_rmw(e) || is_release(e.order) || e.order == Order::plain) continue;
      for (std::uint32_t i = k; i-- > 0;) {
        if (writes[i].thread() == writes[k].thread()) return true;
        const Event& before = g.at(writes[i]);
        if (!is_rmw(before)) break;
        if (before.more != 0) return true;
      }
    }
  }
  return false;
}

void ReleaseSequences::of(Graph& graph) {
  graph_ = &graph;
  differs_ = continued_by_a_store();
  if (!differs_) return;
  threads_ = graph.threads();
  std::uint32_t rows = 0;
  for (unsigned t = 0; t < threads_; ++t) {
    first_[t] = rows;
    rows += graph.size(t);
  }
  clocks_.resize(std::size_t{rows} * threads_);
  std::uint32_t done[kMaxThreads] = {};
  const auto ready = [&](EventId source) {
    return source == kInitial || source.index() < done[source.thread()];
  };
  for (bool moved = true; moved;) {
    moved = false;
    for (unsigned t = 0; t < threads_; ++t) {
      for (; done[t] < graph.size(t); ++done[t]) {
        const Event& e = graph.at(t, done[t]);
        const bool depends = e.kind == Kind::read || e.kind == Kind::begin || e.kind == Kind::join;
        if (depends && !ready(e.from)) break;
        bool all_ready = true;
        for (unsigned k = 1; e.kind == Kind::read && k <= e.more; ++k) {
          all_ready = all_ready && ready(graph.source(event_id(t, done[t]), e.location + k));
        }
        if (!all_ready) break;
        compute(event_id(t, done[t]));
        moved = true;
      }
    }
  }
}

void ReleaseSequences::compute(EventId id) {
  Graph& g = *graph_;
  std::uint16_t* clock = row(id);
  const Event& e = g.at(id);
  if (id.index() == 0) {
    std::memset(clock, 0, threads_ * sizeof *clock);
  } else {
    std::memcpy(clock, row(event_id(id.thread(), id.index() - 1)), threads_ * sizeof *clock);
  }
  clock[id.thread()] = static_cast<std::uint16_t>(id.index() + 1);
  switch (e.kind) {
    case Kind::begin:
    case Kind::join:
      if (e.from != kInitial) join(clock, e.from);
      break;
    case Kind::read:
      if (is_acquire(e.order)) join_all_of(id, clock);
      break;
    case Kind::fence:
      if (!is_acquire(e.order)) break;
      for (std::uint32_t i = 0; i < id.index(); ++i) {
        if (g.at(id.thread(), i).kind == Kind::read) join_all_of(event_id(id.thread(), i), clock);
      }
      break;
    default:
      break;
  }
}

// What an acquire that reads `write` synchronises with: the heads of all release sequences that the
// write is in, or, of a head that is no release, the release fence before it. A read-modify-write
// is in the sequences of all that it takes bytes from.
void ReleaseSequences::join_sequences_of(LocationId location, EventId write, std::uint16_t* into) {
  ways_.clear();
  passed_.clear();
  ways_.push_back({location, write, false, 0, 0});
  while (!ways_.empty()) {
    const Way way = ways_.back();
    ways_.pop_back();
    go_back(way, into);
  }
}

void ReleaseSequences::go_back(Way way, std::uint16_t* into) {
  Graph& g = *graph_;
  const Array<EventId>& writes = g.location(way.location).writes;
  for (std::uint32_t k = g.rank(way.write, way.location); k-- > 0;) {
    const EventId head = writes[k];
    const Event& e = g.at(head);
    if (e.order == Order::plain) return;
    const bool own = head.thread() == way.thread && head.index() < way.first;
    if (!way.stores || own) {
      if (is_release(e.order)) {
        join(into, head);
      } else if (e.release_fence != 0) {
        join(into, event_id(head.thread(), e.release_fence - 1U));
      }
    }
    if (is_rmw(e)) {
      if (e.more != 0) go_by_other_bytes(head, way);
      continue;
    }
    if (way.stores && head.thread() != way.thread) return;
    if (!way.stores || head.index() < way.first) way.first = head.index();
    way.stores = true;
    way.thread = head.thread();
  }
}

void ReleaseSequences::go_by_other_bytes(EventId update, const Way& way) {
  for (const Way& p : passed_) {
    if (p.write == update && p.stores == way.stores && p.thread == way.thread &&
        p.first >= way.first) {
      return;
    }
  }
  passed_.push_back({way.location, update, way.stores, way.thread, way.first});
  const Event& e = graph_->at(update);
  const EventId read = event_id(update.thread(), e.rmw_read);
  for (LocationId at = e.location; at <= e.location + e.more; ++at) {
    const EventId source = graph_->source(read, at);
    if (at != way.location && source != kInitial) {
      ways_.push_back({at, source, way.stores, way.thread, way.first});
    }
  }
}

void ReleaseSequences::join_all_of(EventId read, std::uint16_t* into) {
  const Event& e = graph_->at(read);
  for (LocationId at = e.location; at <= e.location + e.more; ++at) {
    const EventId source = graph_->source(read, at);
    if (source != kInitial) join_sequences_of(at, source, into);
  }
}

bool ReleaseSequences::coherent() {
  if (!differs_) return true;
  Graph& g = *graph_;
  for (LocationId id : g.active()) {
    const Location& l = g.location(id);
    const std::uint32_t accesses = l.writes.size() + l.reads.size();
    const auto access = [&](std::uint32_t i) {
      return i < l.writes.size() ? l.writes[i] : l.reads[i - l.writes.size()];
    };
    for (std::uint32_t i = 0; i < accesses; ++i) {
      for (std::uint32_t k = 0; k < accesses; ++k) {
        const EventId x = access(i);
        const EventId y = access(k);
        if (x == y || !happens_before(x, y)) continue;
        const bool next = g.at(y).kind == Kind::write;  // comes after, not just not before
        const std::uint32_t earlier = g.rank_of_access(x, id);
        const std::uint32_t own = g.rank_of_access(y, id);
        if (next ? earlier >= own : earlier > own) return false;
      }
    }
  }
  return true;
}

}  // namespace fencepost::checker
