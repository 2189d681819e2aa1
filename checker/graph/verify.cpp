// SPDX-License-Identifier: MIT
// Is a graph that was read from bytes one that this checker can have made? Whoever wrote them may
// have made them up (search/checkpoint.hpp). Every number is looked at before it is used to find
// something, and whatever follows from the rest is worked out anew and compared.
//
// That does not make it an execution: reads may read what coherence forbids
// (explore/witness.cpp).
#include "graph/graph.hpp"

namespace fencepost::checker {
namespace {

constexpr std::uint32_t kMostStamps = 1U << 30;
constexpr std::uint32_t kAllFlags = 2 * kOvertook - 1;

bool is_access(const Event& e) { return e.kind == Kind::read || e.kind == Kind::write; }

// As far as it can be told from the event alone.
bool is_event(const Event& e, unsigned index) {
  return e.kind <= Kind::choice && (e.kind == Kind::begin) == (index == 0) &&
         e.order <= Order::seq_cst && e.order_failed <= Order::seq_cst &&
         e.order_done <= Order::seq_cst && e.what <= Operation::process_end && e.size <= 16 &&
         (e.more == 0 || (is_access(e) && e.more < kMostPieces)) && e.flags <= kAllFlags &&
         e.stamp != 0 && e.stamp <= kMostStamps && e.release_fence <= index + 1 &&
         (index == 0 || e.rmw_read < index) &&
         (e.kind != Kind::choice || e.value < e.operand || e.operand == 0) &&
         (e.kind != Kind::create || (e.operand < kMaxThreads && e.value < kMaxThreads)) &&
         (e.kind != Kind::join || e.operand < kMaxThreads || e.what != Operation::none);
}

}  // namespace

// Of what an event comes after: is there such an event, and may it be that?
bool Graph::may_come_after(EventId id) const {
  const Event& e = at(id);
  const auto is_known = [this](EventId x) {
    return x.thread() < threads_ && x.index() < size(x.thread());
  };
  switch (e.kind) {
    case Kind::begin:
      return e.from == kInitial || (is_known(e.from) && at(e.from).kind == Kind::create &&
                                    at(e.from).operand == id.thread());
    case Kind::join:
      if (e.what == Operation::none) {
        return is_known(e.from) && at(e.from).kind == Kind::end && e.from.thread() == e.operand;
      }
      return e.from == kInitial || is_known(e.from);
    case Kind::read:
      for (unsigned k = 0; k <= e.more; ++k) {
        const EventId w = e.more == 0 ? e.from : EventId{mixed_size(id).at[k]};
        if (w == kInitial) continue;
        if (!is_known(w) || at(w).kind != Kind::write || !touches(at(w), e.location + k)) {
          return false;
        }
      }
      return true;
    case Kind::write: {
      if ((e.flags & kRmw) == 0) return true;
      const Event& read = at(id.thread(), e.rmw_read);
      return read.kind == Kind::read && read.location == e.location && read.more == e.more;
    }
    default:
      return true;
  }
}

// Are the accesses in the lists of their locations, each of them once?
bool Graph::lists_are_whole() const {
  std::uint64_t missing = 0;
  for (unsigned t = 0; t < threads_; ++t) {
    for (const Event& e : logs_[t].events) missing += is_access(e) ? e.more + 1U : 0U;
  }
  for (LocationId id : active_) {
    const Location& l = *locations_[id];
    missing -= std::uint64_t{l.writes.size()} + l.reads.size();
    // The writes' positions have been set by their places in the list: two places, and the first
    // has another position.
    for (std::uint32_t k = 0; k < l.writes.size(); ++k) {
      if (at(l.writes[k]).kind != Kind::write || rank(l.writes[k], id) != k + 1) return false;
    }
    std::uint32_t stamp = 0;
    for (EventId r : l.reads) {
      const Event& e = at(r);
      if (e.kind != Kind::read || !touches(e, id) || e.stamp <= stamp) return false;
      stamp = e.stamp;
    }
  }
  return missing == 0;
}

// Do the pieces of an access lie beside each other?
bool Graph::pieces_fit(const Event& e) const {
  if (e.more == 0) return true;
  const std::uint32_t start = locations_[e.location]->offset;
  std::uint32_t next = start;
  for (unsigned k = 0; k <= e.more; ++k) {
    const Location& l = *locations_[e.location + k];
    if (l.offset < next || l.offset - start >= 16 || l.bytes == 0 || l.bytes > 8) return false;
    next = l.offset + l.bytes;
  }
  return next - start <= 16;
}

// Works out the values, orders and clocks anew, each event after all that it depends on, and says
// whether they are those that it has.
bool Graph::follows_from_itself() {
  std::uint32_t done[kMaxThreads] = {};
  const auto is_there = [&](EventId x) { return x == kInitial || x.index() < done[x.thread()]; };
  Array<std::uint16_t> clocks;
  for (bool moved = true; moved;) {
    moved = false;
    for (unsigned t = 0; t < threads_; ++t) {
      for (; done[t] < size(t); ++done[t]) {
        const EventId id = event_id(t, done[t]);
        Event& e = at(id);
        bool waits = (e.kind == Kind::begin || e.kind == Kind::join) && !is_there(e.from);
        if (e.kind == Kind::read) each_source(id, [&](EventId w) { waits |= !is_there(w); });
        const EventId twin = twin_of(id);
        if (waits || (twin != kInitial && !is_there(end_of_operation(twin)))) break;
        const Event before = e;
        const MixedSize mixed_before = e.more == 0 ? MixedSize{} : mixed_size(id);
        clocks.assign(row(id, 0), std::size_t{3} * stride_);
        if (e.kind == Kind::read) {
          bind(e, e.more == 0 ? nullptr : &logs_[t].mixed_sizes[e.mo]);
        }
        compute_clocks(t, done[t]);
        const bool same =
            std::memcmp(&before, &e, sizeof e) == 0 &&
            std::memcmp(clocks.data(), row(id, 0), clocks.size() * sizeof clocks[0]) == 0 &&
            (e.more == 0 || mixed_before.value_high == mixed_size(id).value_high);
        if (!same) return false;
        moved = true;
      }
    }
  }
  for (unsigned t = 0; t < threads_; ++t) {
    if (done[t] != size(t)) return false;  // events depend on each other
  }
  return true;
}

bool Graph::are_events() const {
  std::uint64_t created = 1;  // threads, a bit each: each is created once
  for (unsigned t = 0; t < threads_; ++t) {
    if (size(t) > kMaxEventsPerThread) return false;
    std::uint32_t stamp = 0;
    for (unsigned i = 0; i < size(t); ++i) {
      const Event& e = at(t, i);
      if (!is_event(e, i) || e.stamp <= stamp) return false;
      if (e.kind == Kind::end && i + 1 != size(t)) return false;
      if (e.kind == Kind::create) {
        if ((created >> e.operand & 1) != 0) return false;
        created |= std::uint64_t{1} << e.operand;
      }
      stamp = e.stamp;
    }
  }
  return true;
}

bool Graph::holds_together() {
  if (!lists_are_whole()) return false;
  for (unsigned t = 0; t < threads_; ++t) {
    for (unsigned i = 0; i < size(t); ++i) {
      const EventId id = event_id(t, i);
      if (!may_come_after(id) || (is_access(at(id)) && !pieces_fit(at(id)))) return false;
    }
  }
  return follows_from_itself();
}

}  // namespace fencepost::checker
