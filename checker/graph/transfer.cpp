// SPDX-License-Identifier: MIT
// Graphs as bytes. A location is written by what lies there, since every process numbers its
// locations in the order in which it met them; everything else is written as it is.
#include <type_traits>

#include "graph/graph.hpp"

namespace fencepost::checker {
namespace {

static_assert(std::has_unique_object_representations_v<Event>, "events are written as they are");

bool has_location(const Event& e) { return e.kind == Kind::read || e.kind == Kind::write; }

}  // namespace

void Graph::write(Bytes* out, const Places& places, std::uint32_t stamp) const {
  std::uint32_t lengths[kMaxThreads];
  for (unsigned t = 0; t < threads_; ++t) {
    std::uint32_t n = logs_[t].events.size();
    while (n > 0 && logs_[t].events[n - 1].stamp > stamp) --n;
    lengths[t] = n;
  }
  const auto kept = [&](EventId e) { return e.index() < lengths[e.thread()]; };

  Array<std::uint32_t> number;  // of a location among those that are written
  std::uint32_t locations = 0;
  const std::size_t count_at = out->size();
  put(out, locations);
  for (LocationId id : active_) {
    const Location& l = *locations_[id];
    std::uint32_t writes = 0;
    std::uint32_t reads = 0;
    for (EventId w : l.writes) writes += kept(w) ? 1 : 0;
    for (EventId r : l.reads) reads += kept(r) ? 1 : 0;
    if (writes + reads == 0) continue;
    while (number.size() <= id) number.push_back(0);
    number[id] = locations++;
    put(out, places.place(id));
    put(out, l.initial);
    put(out, l.offset);
    put(out, l.bytes);
    put(out, writes);
    put(out, reads);
    for (EventId w : l.writes) {
      if (kept(w)) put(out, w);
    }
    for (EventId r : l.reads) {
      if (kept(r)) put(out, r);
    }
  }
  std::memcpy(out->data() + count_at, &locations, sizeof locations);

  put(out, threads_);
  put(out, stride_);
  put(out, std::uint32_t{may_have_heavy_fence_ ? 1U : 0U});
  put(out, std::uint32_t{may_have_mixed_sizes_ ? 1U : 0U});
  for (unsigned t = 0; t < threads_; ++t) {
    put(out, lengths[t]);
    for (std::uint32_t i = 0; i < lengths[t]; ++i) {
      Event e = logs_[t].events[i];
      if (has_location(e)) e.location = number[e.location];
      put(out, e);
      if (e.more != 0) put(out, logs_[t].mixed_sizes[e.mo]);
    }
    put_bytes(out, logs_[t].clocks.data(),
              std::size_t{lengths[t]} * 3 * stride_ * sizeof(std::uint16_t));
  }
}

bool Graph::read(BytesIn* in, const Places& places) {
  clear();
  Array<LocationId> ids;
  const auto locations = in->take<std::uint32_t>();
  for (std::uint32_t k = 0; k < locations && in->ok(); ++k) {
    const auto place = in->take<Place>();
    const auto initial = in->take<std::uint64_t>();
    const auto offset = in->take<std::uint32_t>();
    const auto bytes = in->take<std::uint32_t>();
    const auto writes = in->take<std::uint32_t>();
    const auto reads = in->take<std::uint32_t>();
    const std::size_t accesses = std::size_t{writes} + reads;
    if (accesses == 0 || in->left() / sizeof(EventId) < accesses) in->fail();
    if (!in->ok()) break;
    const LocationId id = places.location(place);
    if (id == kNoLocation || !location(id).untouched()) {
      in->fail();
      break;
    }
    ids.push_back(id);
    active_.push_back(id);
    Location& l = location(id);
    l.initial = initial;
    l.offset = offset;
    l.bytes = bytes;
    l.writes.resize(writes);
    in->take_bytes(l.writes.data(), writes * sizeof(EventId));
    l.reads.resize(reads);
    in->take_bytes(l.reads.data(), reads * sizeof(EventId));
  }

  const auto threads = in->take<unsigned>();
  const auto stride = in->take<unsigned>();
  may_have_heavy_fence_ = in->take<std::uint32_t>() != 0;
  may_have_mixed_sizes_ = in->take<std::uint32_t>() != 0;
  if (threads > kMaxThreads || stride % 8 != 0 || stride < threads || stride > kMaxThreads) {
    in->fail();
  }
  if (in->ok()) stride_ = stride;
  for (unsigned t = 0; t < threads && in->ok(); ++t) {
    const auto length = in->take<std::uint32_t>();
    const std::size_t row = 3 * std::size_t{stride_} * sizeof(std::uint16_t);
    if (in->left() / (sizeof(Event) + row) < length || length > kMaxEventsPerThread) in->fail();
    if (!in->ok()) break;
    threads_ = t + 1;
    Log& log = logs_[t];
    log.events.resize(length);
    for (Event& e : log.events) {
      e = in->take<Event>();
      if (e.more == 0) continue;
      e.mo = log.mixed_sizes.size();
      log.mixed_sizes.push_back(in->take<MixedSize>());
    }
    log.clocks.resize(std::size_t{length} * 3 * stride_);
    in->take_bytes(log.clocks.data(), length * row);
    for (Event& e : log.events) {
      if (has_location(e)) {
        if (e.location >= ids.size()) {
          in->fail();
          break;
        }
        const LocationId first = ids[e.location];
        for (unsigned k = 0; k <= e.more; ++k) {
          const LocationId id = first + k;
          const bool known = id < locations_.size() && locations_[id] != nullptr;
          if (!known || locations_[id]->untouched()) in->fail();
        }
        e.location = first;
      }
      if (e.stamp > last_stamp_) last_stamp_ = e.stamp;
      may_have_mixed_sizes_ = may_have_mixed_sizes_ || e.more != 0;
      may_have_heavy_fence_ = may_have_heavy_fence_ || (e.flags & kHeavy) != 0;
      if (e.kind == Kind::create && e.value != 0) may_have_twins_ = true;
    }
  }
  if (in->ok() && !are_events()) in->fail();
  const auto known = [this](EventId e) {
    return e.thread() < threads_ && e.index() < size(e.thread());
  };
  for (LocationId id : active_) {
    if (!in->ok()) break;
    std::uint32_t place = 0;  // those after which others were left out have moved up
    for (EventId w : locations_[id]->writes) {
      if (known(w)) {
        if (!touches(at(w), id)) {
          in->fail();
          break;
        }
        set_place(w, id, place++);
      } else {
        in->fail();
      }
    }
    for (EventId r : locations_[id]->reads) {
      if (!known(r)) in->fail();
    }
  }
  if (in->ok() && !holds_together()) in->fail();
  if (!in->ok()) clear();
  return in->ok();
}

}  // namespace fencepost::checker
