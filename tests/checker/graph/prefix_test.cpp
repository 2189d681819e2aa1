// SPDX-License-Identifier: MIT
// Going back to an earlier graph: cut, restrict_to and copy_prefix.
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "graph/drawing.hpp"

namespace fencepost::checker {
namespace {

std::string name(EventId e) {
  return e == kInitial ? "init" : std::to_string(e.thread()) + "." + std::to_string(e.index());
}

// Everything there is to know of a graph.
std::string text(Graph& g) {
  std::string result;
  const auto clock = [&](Graph::Clock c) {
    for (unsigned t = 0; t < g.threads(); ++t) result += " " + std::to_string(c[t]);
  };
  for (unsigned t = 0; t < g.threads(); ++t) {
    for (unsigned i = 0; i < g.size(t); ++i) {
      const EventId id = event_id(t, i);
      const Event& e = g.at(id);
      result += name(id) + " kind " + std::to_string(static_cast<int>(e.kind)) + " stamp " +
                std::to_string(e.stamp) + " value " + std::to_string(e.value);
      if (e.kind == Kind::read) result += " from " + name(e.from);
      if (e.kind == Kind::write) result += " place " + std::to_string(e.mo);
      result += " hb";
      clock(g.hb(id));
      result += " porf";
      clock(g.porf(id));
      result += " sync";
      clock(g.sync(id));
      result += "\n";
    }
  }
  for (LocationId l : g.active()) {
    result += "location " + std::to_string(l) + " = " + std::to_string(g.location(l).initial) + ":";
    for (EventId w : g.location(l).writes) result += " " + name(w);
    result += " read by";
    for (EventId r : g.location(l).reads) result += " " + name(r);
    result += "\n";
  }
  return result + "last stamp " + std::to_string(g.last_stamp()) + "\n";
}

// Appends an event of a random kind, at a random place, reading from a random write.
void add_anything(Drawing& d, std::mt19937& random, unsigned threads) {
  const auto thread = static_cast<unsigned>(random() % threads);
  const LocationId location = random() % 3;
  const Order order = random() % 2 == 0 ? Order::relaxed : Order::seq_cst;
  const Array<EventId>& writes = d.graph.location(location).writes;
  const std::uint32_t rank = static_cast<std::uint32_t>(random()) % (writes.size() + 1);
  switch (random() % 4) {
    case 0:
      d.fence(thread, order);
      break;
    case 1:
      d.read(thread, location, rank == 0 ? kInitial : writes[rank - 1], order);
      break;
    default:
      d.write_at(thread, location, rank, random() % 100, order);
  }
}

TEST(prefix, cutting_gives_back_each_graph_that_there_was) {
  for (const unsigned threads : {1U, 3U, 12U}) {
    std::mt19937 random(threads);
    Drawing d;
    d.graph.location(1).initial = 5;
    for (unsigned t = 0; t < threads; ++t) d.begin(t);
    std::vector<std::string> history{text(d.graph)};
    std::vector<std::uint32_t> stamps{d.graph.last_stamp()};
    for (int i = 0; i < 60; ++i) {
      add_anything(d, random, threads);
      history.push_back(text(d.graph));
      stamps.push_back(d.graph.last_stamp());
    }
    while (!history.empty()) {
      d.graph.cut(stamps.back());
      ASSERT_EQ(text(d.graph), history.back()) << threads << " threads";
      // Several steps at a time, so that more than one event goes.
      for (unsigned steps = 1 + random() % 5; steps > 0 && !history.empty(); --steps) {
        history.pop_back();
        stamps.pop_back();
      }
    }
  }
}

TEST(prefix, cutting_later_than_the_last_event_changes_nothing) {
  Drawing d;
  d.write(0, 0, 1);
  const std::string before = text(d.graph);
  d.graph.cut(d.graph.last_stamp());
  d.graph.cut(1000);
  EXPECT_EQ(text(d.graph), before);
}

TEST(prefix, restricting_keeps_so_many_events_of_each_thread_and_closes_the_gaps) {
  Drawing d;
  const EventId a = d.write(0, 0, 1);
  const EventId b = d.write(1, 0, 2);
  const EventId c = d.write(0, 0, 3);
  const EventId e = d.write(2, 0, 4);
  d.read(1, 0, a);
  d.read(2, 1, kInitial);
  const std::uint32_t lengths[] = {3, 1, 2};
  d.graph.restrict_to(lengths);
  EXPECT_EQ(d.graph.size(0), 3U);
  EXPECT_EQ(d.graph.size(1), 1U);
  EXPECT_EQ(d.graph.size(2), 2U);
  const Location& l = d.graph.location(0);
  ASSERT_EQ(l.writes.size(), 3U);
  EXPECT_EQ(l.writes[0], a);
  EXPECT_EQ(l.writes[1], c);
  EXPECT_EQ(l.writes[2], e);
  EXPECT_EQ(d.graph.at(c).mo, 1U);
  EXPECT_EQ(d.graph.at(e).mo, 2U);
  EXPECT_TRUE(l.reads.empty());
  ASSERT_EQ(d.graph.active().size(), 1U) << "nobody accesses the other location any more";
  EXPECT_EQ(d.graph.active()[0], 0U);
  EXPECT_EQ(d.graph.last_stamp(), d.graph.at(e).stamp);
  EXPECT_EQ(d.write(1, 0, 5), b) << "its name is free again";
}

TEST(prefix, a_thread_without_events_is_no_thread) {
  Drawing d;
  d.write(0, 0, 1);
  d.write(2, 0, 2);
  EXPECT_EQ(d.graph.threads(), 3U);
  const std::uint32_t lengths[] = {2, 0, 0};
  d.graph.restrict_to(lengths);
  EXPECT_EQ(d.graph.threads(), 1U);
  d.write(1, 0, 3);
  EXPECT_EQ(d.graph.threads(), 2U);
}

TEST(prefix, a_new_event_is_younger_than_all_that_stayed) {
  Drawing d;
  d.write(0, 0, 1);
  d.write(1, 0, 2);
  const EventId w = d.write(2, 0, 3);
  const std::uint32_t lengths[] = {1, 1, 2};
  d.graph.restrict_to(lengths);
  EXPECT_GT(d.graph.at(d.write(0, 0, 4)).stamp, d.graph.at(w).stamp);
}

TEST(prefix, a_copy_is_what_restricting_would_have_left_and_leaves_the_original_alone) {
  for (const unsigned threads : {2U, 5U, 11U}) {
    std::mt19937 random(threads);
    Drawing d;
    d.graph.location(2).initial = 9;
    for (int i = 0; i < 50; ++i) add_anything(d, random, threads);
    const std::string original = text(d.graph);
    Drawing other;  // with contents of its own, which must go
    for (int i = 0; i < 30; ++i) add_anything(other, random, 14);
    std::vector<std::uint32_t> lengths;
    for (unsigned t = 0; t < threads; ++t) {
      const std::uint32_t size = t < d.graph.threads() ? d.graph.size(t) : 0;
      lengths.push_back(size - static_cast<std::uint32_t>(random() % (size / 2 + 1)));
    }
    // Clocks are copied as they are: in an execution nothing kept depends on what goes, here it
    // may.
    other.graph.copy_prefix(d.graph, lengths.data());
    EXPECT_EQ(text(d.graph), original);
    const std::string copy = text(other.graph);
    other.write(0, 0, 1, Order::release);
    other.read(1, 2, kInitial);
    EXPECT_EQ(text(d.graph), original);
    d.graph.restrict_to(lengths.data());
    EXPECT_EQ(text(d.graph), copy);
    EXPECT_NE(copy, original);
  }
}

TEST(prefix, a_copy_goes_on_as_the_original_would) {
  for (const unsigned reader : {1U, 20U}) {
    Drawing d;
    const EventId w = d.write(0, 0, 1, Order::release);
    d.begin(reader);
    std::vector<std::uint32_t> lengths(kMaxThreads);
    lengths[0] = 2;
    lengths[reader] = 1;
    Drawing copy;
    copy.graph.copy_prefix(d.graph, lengths.data());
    EXPECT_TRUE(copy.graph.happens_before(w, copy.read(reader, 0, w, Order::acquire)));
    EXPECT_EQ(copy.graph.rank(copy.write(reader, 0, 2)), 2U);
    EXPECT_EQ(d.graph.location(0).writes.size(), 1U);
  }
}

TEST(prefix, clearing_leaves_nothing) {
  Drawing d;
  d.graph.location(0).initial = 8;
  d.update(0, 0, kInitial, 1);
  d.graph.clear();
  EXPECT_EQ(d.graph.threads(), 0U);
  EXPECT_EQ(d.graph.event_count(), 0U);
  EXPECT_EQ(d.graph.last_stamp(), 0U);
  EXPECT_TRUE(d.graph.active().empty());
  EXPECT_TRUE(d.graph.location(0).untouched());
  EXPECT_EQ(d.graph.rank(d.write(0, 0, 1)), 1U);
}

}  // namespace
}  // namespace fencepost::checker
