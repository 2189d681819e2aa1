// SPDX-License-Identifier: MIT
// Execution graphs drawn by hand, as in a paper: each call appends one event to a thread.
#pragma once

#include <cstdint>

#include "graph/graph.hpp"

namespace fencepost::checker {

class Drawing {
 public:
  Graph graph;

  // A thread that nobody created; the first event drawn of a thread does this by itself.
  EventId begin(unsigned thread, EventId create = kInitial) {
    Event e{};
    e.kind = Kind::begin;
    e.from = create;
    return graph.add(thread, e);
  }

  EventId create(unsigned thread, unsigned created) {
    Event e = event(Kind::create, Order::plain);
    e.operand = created;
    return add(thread, e);
  }

  EventId end(unsigned thread) { return add(thread, event(Kind::end, Order::plain)); }

  EventId join(unsigned thread, EventId end) {
    Event e = event(Kind::join, Order::plain);
    e.from = end;
    e.operand = end.thread();
    return add(thread, e);
  }

  EventId fence(unsigned thread, Order order) { return add(thread, event(Kind::fence, order)); }
  EventId light_fence(unsigned thread) {
    Event e = event(Kind::fence, Order::relaxed);
    e.flags = kLight;
    return add(thread, e);
  }
  EventId heavy_fence(unsigned thread) {
    Event e = event(Kind::fence, Order::seq_cst);
    e.flags = kHeavy;
    return add(thread, e);
  }

  EventId read(unsigned thread, LocationId location, EventId from, Order order = Order::relaxed,
               std::uint16_t flags = 0) {
    Event e = event(Kind::read, order);
    e.location = location;
    e.from = from;
    e.flags = flags;
    return add(thread, e);
  }

  // The newest write of its location.
  EventId write(unsigned thread, LocationId location, std::uint64_t value,
                Order order = Order::relaxed, std::uint16_t flags = 0) {
    Event e = event(Kind::write, order);
    e.location = location;
    e.value = value;
    e.flags = flags;
    return add(thread, e);
  }

  // A write at a place of the modification order, counted from 0.
  EventId write_at(unsigned thread, LocationId location, std::uint32_t place, std::uint64_t value,
                   Order order = Order::relaxed) {
    const EventId w = write(thread, location, value, order);
    graph.move_write(w, place);
    return w;
  }

  // A read-modify-write of `from`, as its two halves; returns the write.
  EventId update(unsigned thread, LocationId location, EventId from, std::uint64_t value,
                 Order order_read = Order::relaxed, Order order_write = Order::relaxed) {
    const EventId r = read(thread, location, from, order_read, kRmw);
    Event e = event(Kind::write, order_write);
    e.location = location;
    e.value = value;
    e.flags = kRmw;
    e.rmw_read = static_cast<std::uint16_t>(r.index());
    const EventId w = add(thread, e);
    graph.move_write(w, graph.rank(from));
    return w;
  }

  // An addition that is not atomic but that no heavy fence divides; its write is the newest.
  EventId undivided(unsigned thread, LocationId location, EventId from, std::uint64_t value) {
    read(thread, location, from, Order::acquire, kNonatomic);
    return write(thread, location, value, Order::release, kNonatomic);
  }

  // The read of a compare-exchange that expects `operand`.
  EventId compare(unsigned thread, LocationId location, EventId from, std::uint64_t operand,
                  Order order_done = Order::relaxed, Order order_failed = Order::relaxed) {
    Event e = event(Kind::read, Order::relaxed);
    e.location = location;
    e.from = from;
    e.flags = kRmw | kCompare;
    e.operand = operand;
    e.order_done = order_done;
    e.order_failed = order_failed;
    return add(thread, e);
  }

 private:
  static Event event(Kind kind, Order order) {
    Event e{};
    e.kind = kind;
    e.order = order;
    e.size = 8;
    return e;
  }

  EventId add(unsigned thread, const Event& e) {
    if (thread >= graph.threads() || graph.size(thread) == 0) begin(thread);
    return graph.add(thread, e);
  }
};

}  // namespace fencepost::checker
