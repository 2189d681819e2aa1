// SPDX-License-Identifier: MIT
// The execution graph: events in program order, reads-from, modification order and clocks.
//
// Every event carries three vector clocks:
//   hb    which events happen before it (C++ happens-before, thread creation and joining included);
//   porf  which events are before it in program order and reads-from, synchronising or not, and
//         in the order of twins;
//   sync  writes only: what an acquire that reads this write synchronises with (empty for a
//         relaxed write with no release fence before it and no release sequence it continues).
// An entry n for thread t says that the events 0 .. n-1 of t are included. An event includes
// itself.
//
// The graph knows nothing of memory models: it says what is ordered, not what is allowed.
#pragma once

#include <cstdint>

#include "graph/bytes.hpp"
#include "graph/event.hpp"
#include "graph/mixed_size.hpp"
#include "graph/storage.hpp"

namespace fencepost::checker {

struct Location {
  std::uint64_t initial = 0;
  // Of a piece of something larger: where in it, and how many bytes (graph/mixed_size.hpp).
  std::uint32_t offset = 0;
  std::uint32_t bytes = 0;
  Array<EventId> writes;  // in modification order, without the initial value
  Array<EventId> reads;   // in the order in which they were added

  bool untouched() const { return writes.empty() && reads.empty(); }
};

// What a location is, in every process that explores the same program.
struct Place {
  std::uint64_t address;
  std::uint32_t size;
  std::uint32_t kind;
};

inline constexpr LocationId kNoLocation = 0xffffffffU;

// Whoever gave the locations their numbers: from number to place, and back in another process.
struct Places {
  Place (*place)(LocationId id);
  LocationId (*location)(const Place& place);  // kNoLocation: nothing can be there
};

class Graph {
 public:
  using Clock = const std::uint16_t*;

  Graph() = default;
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph();

  void clear();

  // Replaces this graph by the first lengths[t] events of each thread t of `other`.
  void copy_prefix(const Graph& other, const std::uint32_t* lengths);
  // Replaces this graph by the events of `other` with a stamp of at most `stamp`.
  void copy_until(const Graph& other, std::uint32_t stamp);
  // Keeps only the first lengths[t] events of each thread t.
  void restrict_to(const std::uint32_t* lengths);
  // Keeps only the events with a stamp of at most `stamp`.
  void cut(std::uint32_t stamp);

  // The events with a stamp of at most `stamp` as bytes (transfer.cpp).
  void write(Bytes* out, const Places& places, std::uint32_t stamp) const;
  // Replaces this graph by one that was written; false, and empty, if it makes no sense.
  bool read(BytesIn* in, const Places& places);

  unsigned threads() const { return threads_; }
  unsigned size(unsigned thread) const { return logs_[thread].events.size(); }
  Event& at(EventId e) { return logs_[e.thread()].events[e.index()]; }
  const Event& at(EventId e) const { return logs_[e.thread()].events[e.index()]; }
  Event& at(unsigned thread, unsigned index) { return logs_[thread].events[index]; }
  const Event& at(unsigned thread, unsigned index) const { return logs_[thread].events[index]; }
  Event* log(unsigned thread) { return logs_[thread].events.data(); }
  std::uint32_t last_stamp() const { return last_stamp_; }
  // False only if every access is of one location.
  bool may_have_mixed_sizes() const { return may_have_mixed_sizes_; }
  // False only if there is no heavy fence; then light ones order nothing.
  bool may_have_heavy_fence() const { return may_have_heavy_fence_; }
  unsigned event_count() const;

  Clock hb(EventId e) const { return row(e, 0); }
  Clock porf(EventId e) const { return row(e, 1); }
  Clock sync(EventId e) const { return row(e, 2); }
  static bool includes(Clock clock, EventId e) { return clock[e.thread()] > e.index(); }

  // Is a before b (or equal)? The initial value is before everything.
  bool happens_before(EventId a, EventId b) const { return includes(hb(b), a); }
  bool porf_before(EventId a, EventId b) const { return includes(porf(b), a); }

  Location& location(LocationId id) {
    if (id < locations_.size() && locations_[id] != nullptr) [[likely]]
      return *locations_[id];
    return new_location(id);
  }
  // Locations that have at least one read or write.
  const Array<LocationId>& active() const { return active_; }

  // Appends an event to a thread, computes its clocks and enters it in its location: reads at the
  // end of the list of reads, writes at the end of the modification order. An event with `more`
  // comes with its pieces.
  EventId add(unsigned thread, const Event& event, const MixedSize* mixed = nullptr);

  // Makes an existing read, the last event of its thread, read from `w`; its value, order and
  // clocks follow.
  void set_source(EventId read, EventId w);
  void set_sources(EventId read, const std::uint32_t* sources);
  // Moves a write, the last event of its thread, to another place in the modification order.
  void move_write(EventId write, std::uint32_t position) {
    move_write(write, at(write).location, position);
  }
  void move_write(EventId write, LocationId location, std::uint32_t position);

  std::uint64_t value_of(LocationId location, EventId w) {
    if (w == kInitial) return this->location(location).initial;
    return at(w).more == 0 ? at(w).value : piece_of(location, w);
  }
  // Position of a write of one location in its modification order plus one; 0 for the initial
  // value.
  std::uint32_t rank(EventId w) const { return w == kInitial ? 0 : at(w).mo + 1; }
  // The same of any write, in the modification order of one of its locations.
  std::uint32_t rank(EventId w, LocationId location) const {
    if (w == kInitial) return 0;
    const Event& e = at(w);
    return 1 + (e.more == 0 ? e.mo : mixed_size(w).at[location - e.location]);
  }
  // The write that a read takes one of its locations from.
  EventId source(EventId read, LocationId location) const {
    const Event& e = at(read);
    return e.more == 0 ? e.from : EventId{mixed_size(read).at[location - e.location]};
  }
  // Calls `f` with each write that a read reads from.
  template <typename F>
  void each_source(EventId read, F f) const {
    const Event& e = at(read);
    if (e.more == 0) {
      if (e.from != kInitial) f(e.from);
      return;
    }
    for (unsigned k = 0; k <= e.more; ++k) {
      const EventId w{mixed_size(read).at[k]};
      if (w != kInitial) f(w);
    }
  }
  // Of an access in the modification order of one of its locations: that of the write, or of the
  // write read.
  std::uint32_t rank_of_access(EventId access, LocationId location) const {
    return rank(at(access).kind == Kind::write ? access : source(access, location), location);
  }
  const MixedSize& mixed_size(EventId e) const { return logs_[e.thread()].mixed_sizes[at(e).mo]; }
  static bool touches(const Event& e, LocationId location) {
    return location - e.location <= e.more;
  }
  // Have two accesses a location in common?
  static bool overlap(const Event& a, const Event& b) {
    return touches(a, b.location) || touches(b, a.location);
  }

  // The lowest rank that an access to `location` may read from or be placed after, when `clock` is
  // the happens-before clock of what precedes it: coherence in the sense of [intro.races].
  std::uint32_t lowest_rank(LocationId location, Clock clock);

  // The option that a choice, the last event of its thread, takes.
  void set_option(EventId choice, std::uint32_t option);

  // Twins (symmetry.cpp): threads of which one comes after the other as long as both do the same.
  // The event of the thread's twin that this one comes after, kInitial if there is none.
  EventId twin_of(EventId e) const { return may_have_twins_ ? find_twin(e) : kInitial; }
  // Would the thread's next event come after one of its twin that is not there yet?
  bool is_ahead_of_twin(unsigned thread) const;
  // The last event of the operation that an event belongs to.
  EventId end_of_operation(EventId e) const;

  // The successful read-modify-write that reads `w`, other than `except`; kInitial if there is
  // none.
  EventId rmw_reader(LocationId location, EventId w, EventId except);

 private:
  void lengths_until(std::uint32_t stamp, std::uint32_t* lengths) const;

  // So many events are taken out one by one; of more, all lists are gone through.
  static constexpr unsigned kFew = 16;

  struct Log {
    Array<Event> events;
    Array<MixedSize> mixed_sizes;  // of the events with `more`, in their order
    Array<std::uint16_t> clocks;
  };

  Clock row(EventId e, unsigned which) const {
    return logs_[e.thread()].clocks.data() + (e.index() * 3 + which) * stride_;
  }
  std::uint16_t* row(unsigned thread, unsigned index, unsigned which) {
    return logs_[thread].clocks.data() + (index * 3 + which) * stride_;
  }
  [[gnu::noinline, gnu::cold]] Location& new_location(LocationId id);
  void widen(unsigned stride);
  void compute_clocks(unsigned thread, unsigned index);
  void bind(Event& read, MixedSize* mixed);
  std::uint64_t piece_of(LocationId location, EventId write);
  void set_place(EventId write, LocationId location, std::uint32_t position);
  EventId find_twin(EventId e) const;
  void compare_with_twin(EventId e) {
    if (may_have_twins_) find_and_compare_with_twin(e);
  }
  void find_and_compare_with_twin(EventId e);
  void shorten_logs(const std::uint32_t* lengths);
  void take_out(EventId id);
  void drop_missing_accesses();
  void drop_missing_mixed_sizes(Log& log);

  // Of a graph that was read (verify.cpp): are its events such by themselves; and with each other?
  bool are_events() const;
  bool holds_together();
  bool may_come_after(EventId id) const;
  bool lists_are_whole() const;
  bool pieces_fit(const Event& e) const;
  bool follows_from_itself();

  unsigned threads_ = 0;
  unsigned stride_ = 8;
  std::uint32_t last_stamp_ = 0;
  bool may_have_heavy_fence_ = false;
  bool may_have_mixed_sizes_ = false;
  bool may_have_twins_ = false;
  Log logs_[kMaxThreads];
  Array<Location*> locations_;
  Array<LocationId> active_;
};

}  // namespace fencepost::checker
