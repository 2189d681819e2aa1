// SPDX-License-Identifier: MIT
#include "graph/graph.hpp"

#include <new>

namespace fencepost::checker {
namespace {

// Clocks are joined eight entries at a time.
using Lanes = std::uint16_t __attribute__((vector_size(16)));

void join_into(std::uint16_t* into, const std::uint16_t* from, unsigned stride) {
  for (unsigned i = 0; i < stride; i += 8) {
    Lanes a;
    Lanes b;
    std::memcpy(&a, into + i, sizeof a);
    std::memcpy(&b, from + i, sizeof b);
    const Lanes larger = a > b ? a : b;
    std::memcpy(into + i, &larger, sizeof larger);
  }
}

void copy(std::uint16_t* into, const std::uint16_t* from, unsigned stride) {
  for (unsigned i = 0; i < stride; i += 8) std::memcpy(into + i, from + i, sizeof(Lanes));
}

void clear_clock(std::uint16_t* clock, unsigned stride) {
  for (unsigned i = 0; i < stride; i += 8) std::memset(clock + i, 0, sizeof(Lanes));
}

}  // namespace

Graph::~Graph() {
  for (Location* l : locations_) {
    if (l == nullptr) continue;
    l->~Location();
    storage_give(l, sizeof(Location));
  }
}

void Graph::clear() {
  for (unsigned t = 0; t < threads_; ++t) {
    logs_[t].events.clear();
    logs_[t].clocks.clear();
    logs_[t].mixed_sizes.clear();
  }
  threads_ = 0;
  last_stamp_ = 0;
  may_have_heavy_fence_ = false;
  may_have_mixed_sizes_ = false;
  may_have_twins_ = false;
  for (LocationId id : active_) {
    locations_[id]->writes.clear();
    locations_[id]->reads.clear();
  }
  active_.clear();
}

unsigned Graph::event_count() const {
  unsigned n = 0;
  for (unsigned t = 0; t < threads_; ++t) n += logs_[t].events.size();
  return n;
}

Location& Graph::new_location(LocationId id) {
  while (locations_.size() <= id) locations_.push_back(nullptr);
  locations_[id] = new (storage_take(sizeof(Location))) Location;
  return *locations_[id];
}

void Graph::copy_prefix(const Graph& other, const std::uint32_t* lengths) {
  clear();
  stride_ = other.stride_;
  may_have_heavy_fence_ = other.may_have_heavy_fence_;
  may_have_mixed_sizes_ = other.may_have_mixed_sizes_;
  may_have_twins_ = other.may_have_twins_;
  for (unsigned t = 0; t < other.threads_; ++t) {
    if (lengths[t] == 0) continue;
    threads_ = t + 1;
    const Log& from = other.logs_[t];
    logs_[t].events.assign(from.events.data(), lengths[t]);
    if (!from.mixed_sizes.empty()) {
      logs_[t].mixed_sizes.assign(from.mixed_sizes.data(), from.mixed_sizes.size());
      drop_missing_mixed_sizes(logs_[t]);
    }
    logs_[t].clocks.assign(from.clocks.data(), std::size_t{lengths[t]} * 3 * stride_);
    const std::uint32_t stamp = logs_[t].events.back().stamp;
    if (stamp > last_stamp_) last_stamp_ = stamp;
  }
  for (LocationId id : other.active_) {
    const Location& from = *other.locations_[id];
    Location& to = location(id);
    to.initial = from.initial;
    to.offset = from.offset;
    to.bytes = from.bytes;
    to.writes.assign(from.writes.data(), from.writes.size());
    to.reads.assign(from.reads.data(), from.reads.size());
    active_.push_back(id);
  }
  drop_missing_accesses();
}

void Graph::restrict_to(const std::uint32_t* lengths) {
  shorten_logs(lengths);
  drop_missing_accesses();
}

void Graph::shorten_logs(const std::uint32_t* lengths) {
  const unsigned before = threads_;
  threads_ = 0;
  last_stamp_ = 0;
  for (unsigned t = 0; t < before; ++t) {
    logs_[t].events.truncate(lengths[t]);
    if (!logs_[t].mixed_sizes.empty()) drop_missing_mixed_sizes(logs_[t]);
    logs_[t].clocks.truncate(std::size_t{lengths[t]} * 3 * stride_);
    if (lengths[t] == 0) continue;
    threads_ = t + 1;
    const std::uint32_t stamp = logs_[t].events.back().stamp;
    if (stamp > last_stamp_) last_stamp_ = stamp;
  }
}

void Graph::lengths_until(std::uint32_t stamp, std::uint32_t* lengths) const {
  for (unsigned t = 0; t < threads_; ++t) {
    std::uint32_t n = logs_[t].events.size();
    while (n > 0 && logs_[t].events[n - 1].stamp > stamp) --n;
    lengths[t] = n;
  }
}

void Graph::copy_until(const Graph& other, std::uint32_t stamp) {
  std::uint32_t lengths[kMaxThreads];
  other.lengths_until(stamp, lengths);
  copy_prefix(other, lengths);
}

void Graph::cut(std::uint32_t stamp) {
  if (last_stamp_ <= stamp) return;
  std::uint32_t lengths[kMaxThreads];
  lengths_until(stamp, lengths);
  unsigned missing = 0;
  for (unsigned t = 0; t < threads_; ++t) missing += size(t) - lengths[t];
  if (missing > kFew || may_have_mixed_sizes_) return restrict_to(lengths);
  for (unsigned t = 0; t < threads_; ++t) {
    for (unsigned i = size(t); i-- > lengths[t];) take_out(event_id(t, i));
  }
  shorten_logs(lengths);
}

// Of an event of one location: out of its lists.
void Graph::take_out(EventId id) {
  const Event& e = at(id);
  if (e.kind != Kind::read && e.kind != Kind::write) return;
  Location& l = *locations_[e.location];
  if (e.kind == Kind::read) {
    std::uint32_t place = l.reads.size();
    while (l.reads[--place] != id) {
    }
    l.reads.erase(place);
  } else {
    l.writes.erase(e.mo);
    for (std::uint32_t i = e.mo; i < l.writes.size(); ++i) at(l.writes[i]).mo = i;
  }
  if (!l.untouched()) return;
  std::uint32_t place = active_.size();
  while (active_[--place] != e.location) {
  }
  active_.erase(place);
}

void Graph::drop_missing_mixed_sizes(Log& log) {
  for (std::uint32_t i = log.events.size(); i-- > 0;) {
    const Event& e = log.events[i];
    if (e.more == 0) continue;
    log.mixed_sizes.truncate(e.mo + 1);
    return;
  }
  log.mixed_sizes.clear();
}

void Graph::set_place(EventId write, LocationId location, std::uint32_t position) {
  Event& e = at(write);
  if (e.more == 0) {
    e.mo = position;
  } else {
    logs_[write.thread()].mixed_sizes[e.mo].at[location - e.location] = position;
  }
}

void Graph::drop_missing_accesses() {
  std::uint32_t kept_locations = 0;
  for (std::uint32_t k = 0; k < active_.size(); ++k) {
    Location& l = *locations_[active_[k]];
    const auto is_there = [this](EventId e) { return e.index() < size(e.thread()); };
    std::uint32_t n = 0;
    while (n < l.writes.size() && is_there(l.writes[n])) ++n;
    for (std::uint32_t i = n; i < l.writes.size(); ++i) {
      const EventId w = l.writes[i];
      if (!is_there(w)) continue;
      set_place(w, active_[k], n);
      l.writes[n++] = w;
    }
    l.writes.truncate(n);
    n = 0;
    for (EventId r : l.reads) {
      if (is_there(r)) l.reads[n++] = r;
    }
    l.reads.truncate(n);
    if (!l.untouched()) active_[kept_locations++] = active_[k];
  }
  active_.truncate(kept_locations);
}

void Graph::widen(unsigned stride) {
  for (unsigned t = 0; t < threads_; ++t) {
    Array<std::uint16_t>& clocks = logs_[t].clocks;
    const std::uint32_t rows = logs_[t].events.size() * 3;
    if (rows == 0) continue;
    Array<std::uint16_t> old;
    old.assign(clocks.data(), clocks.size());
    clocks.resize(std::size_t{rows} * stride);
    std::memset(clocks.data(), 0, clocks.size() * sizeof(std::uint16_t));
    for (std::uint32_t r = 0; r < rows; ++r) {
      std::memcpy(clocks.data() + std::size_t{r} * stride, old.data() + std::size_t{r} * stride_,
                  stride_ * sizeof(std::uint16_t));
    }
  }
  stride_ = stride;
}

// What a write of several locations stored in one of them.
std::uint64_t Graph::piece_of(LocationId id, EventId write) {
  const Event& e = at(write);
  const Location& l = location(id);
  const std::uint32_t first = l.offset - location(e.location).offset;
  const std::uint64_t half = first < 8 ? e.value : mixed_size(write).value_high;
  const std::uint64_t value = half >> (8 * (first % 8));
  return l.bytes == 8 ? value : value & ((std::uint64_t{1} << (8 * l.bytes)) - 1);
}

void Graph::bind(Event& read, MixedSize* mixed) {
  if (read.more == 0) {
    read.value = value_of(read.location, read.from);
  } else {
    read.from = EventId{mixed->at[0]};
    read.value = 0;
    mixed->value_high = 0;
    const std::uint32_t start = location(read.location).offset;
    for (unsigned k = 0; k <= read.more; ++k) {
      const std::uint64_t piece = value_of(read.location + k, EventId{mixed->at[k]});
      const std::uint32_t offset = location(read.location + k).offset - start;
      (offset < 8 ? read.value : mixed->value_high) |= piece << (8 * (offset % 8));
    }
    read.flags &= static_cast<std::uint16_t>(~kUnfit);
    if ((read.flags & kCompare) != 0 && mixed->value_high != mixed->operand_high) {
      read.flags |= kUnfit;
    }
  }
  if ((read.flags & kCompare) != 0) {
    read.order = fits(read, read.value) ? read.order_done : read.order_failed;
  }
}

void Graph::compute_clocks(unsigned thread, unsigned index) {
  Log& log = logs_[thread];
  Event& e = log.events[index];
  std::uint16_t* hb = row(thread, index, 0);
  std::uint16_t* porf = row(thread, index, 1);
  std::uint16_t* sync = row(thread, index, 2);
  const unsigned stride = stride_;
  if (index == 0) {
    clear_clock(hb, 3 * stride);
    e.release_fence = 0;
  } else {
    copy(hb, hb - 3 * stride, 2 * stride);
    clear_clock(sync, stride);
    e.release_fence = log.events[index - 1].release_fence;
  }
  hb[thread] = static_cast<std::uint16_t>(index + 1);
  porf[thread] = static_cast<std::uint16_t>(index + 1);
  const EventId twin = twin_of(event_id(thread, index));
  if (twin != kInitial) join_into(porf, this->porf(end_of_operation(twin)), stride_);

  switch (e.kind) {
    case Kind::begin:
    case Kind::join:
      if (e.from == kInitial) break;  // the main thread begins
      join_into(hb, this->hb(e.from), stride_);
      join_into(porf, this->porf(e.from), stride_);
      break;
    case Kind::read:
      each_source(event_id(thread, index), [&](EventId w) {
        join_into(porf, this->porf(w), stride_);
        if (is_acquire(e.order)) join_into(hb, this->sync(w), stride_);
      });
      break;
    case Kind::write:
      if (is_release(e.order)) {
        copy(sync, hb, stride_);
      } else if (e.release_fence != 0) {
        copy(sync, row(thread, e.release_fence - 1U, 0), stride_);
      }
      if ((e.flags & kRmw) != 0) {
        each_source(event_id(thread, e.rmw_read),
                    [&](EventId w) { join_into(sync, this->sync(w), stride_); });
      }
      break;
    case Kind::fence:
      if (is_acquire(e.order)) {
        for (unsigned i = 0; i < index; ++i) {
          if (log.events[i].kind != Kind::read) continue;
          each_source(event_id(thread, i),
                      [&](EventId w) { join_into(hb, this->sync(w), stride_); });
        }
      }
      if (is_release(e.order)) e.release_fence = static_cast<std::uint16_t>(index + 1);
      break;
    case Kind::end:
    case Kind::create:
    case Kind::choice:
      break;
  }
}

EventId Graph::add(unsigned thread, const Event& wanted, const MixedSize* mixed) {
  if (thread >= stride_) widen((thread / 8 + 1) * 8);
  if (thread >= threads_) threads_ = thread + 1;
  Log& log = logs_[thread];
  const unsigned index = log.events.size();
  const EventId id = event_id(thread, index);
  Event& event = log.events.push_back(wanted);
  event.stamp = ++last_stamp_;
  if (event.kind == Kind::read || event.kind == Kind::write) {
    MixedSize* own = nullptr;
    if (event.more != 0) {
      may_have_mixed_sizes_ = true;
      event.mo = log.mixed_sizes.size();
      own = &log.mixed_sizes.push_back(*mixed);
    }
    if (event.kind == Kind::read) bind(event, own);
    for (unsigned k = 0; k <= event.more; ++k) {
      Location& l = location(event.location + k);
      if (l.untouched()) active_.push_back(event.location + k);
      if (event.kind == Kind::read) {
        l.reads.push_back(id);
      } else {
        (own == nullptr ? event.mo : own->at[k]) = l.writes.size();
        l.writes.push_back(id);
      }
    }
  }
  if ((event.flags & kHeavy) != 0) may_have_heavy_fence_ = true;
  if (event.kind == Kind::create && event.value != 0) may_have_twins_ = true;
  log.clocks.resize(std::size_t{log.events.size()} * 3 * stride_);
  compare_with_twin(id);
  compute_clocks(thread, index);
  return id;
}

void Graph::set_source(EventId read, EventId w) {
  Event& e = at(read);
  e.from = w;
  bind(e, nullptr);
  compare_with_twin(read);
  compute_clocks(read.thread(), read.index());
}

void Graph::set_sources(EventId read, const std::uint32_t* sources) {
  Event& e = at(read);
  MixedSize& p = logs_[read.thread()].mixed_sizes[e.mo];
  std::memcpy(p.at, sources, (e.more + 1U) * sizeof *sources);
  bind(e, &p);
  compute_clocks(read.thread(), read.index());
}

void Graph::move_write(EventId write, LocationId id, std::uint32_t position) {
  Location& l = location(id);
  const std::uint32_t old = rank(write, id) - 1;
  if (old == position) return;
  l.writes.erase(old);
  l.writes.insert(position, write);
  const std::uint32_t first = old < position ? old : position;
  for (std::uint32_t i = first; i < l.writes.size(); ++i) set_place(l.writes[i], id, i);
}

std::uint32_t Graph::lowest_rank(LocationId id, Clock clock) {
  Location& l = location(id);
  std::uint32_t rank = 0;
  for (std::uint32_t i = l.writes.size(); i-- > 0;) {
    if (includes(clock, l.writes[i])) {
      rank = i + 1;
      break;
    }
  }
  if (rank == l.writes.size()) return rank;
  for (EventId r : l.reads) {
    if (!includes(clock, r)) continue;
    const std::uint32_t seen = this->rank(source(r, id), id);
    if (seen > rank) rank = seen;
  }
  return rank;
}

EventId Graph::rmw_reader(LocationId id, EventId w, EventId except) {
  for (EventId r : location(id).reads) {
    const Event& e = at(r);
    const EventId from = e.more == 0 ? e.from : source(r, id);
    if (from == w && r != except && succeeds(e)) return r;
  }
  return kInitial;
}

}  // namespace fencepost::checker
