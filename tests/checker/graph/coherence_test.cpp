// SPDX-License-Identifier: MIT
// Places in the modification order, and which of them an access may still see.
#include <gtest/gtest.h>

#include <vector>

#include "graph/drawing.hpp"

namespace fencepost::checker {
namespace {

constexpr LocationId x = 0;
constexpr LocationId y = 1;
constexpr LocationId flag = 2;

class coherence : public testing::Test, public Drawing {
 protected:
  // What the next access of a thread may not go below.
  std::uint32_t lowest(unsigned thread, LocationId location = x) {
    return graph.lowest_rank(location, graph.hb(event_id(thread, graph.size(thread) - 1)));
  }

  std::vector<std::uint64_t> values(LocationId location) {
    std::vector<std::uint64_t> result;
    std::uint32_t place = 0;
    for (EventId w : graph.location(location).writes) {
      EXPECT_EQ(graph.at(w).mo, place++);
      result.push_back(graph.at(w).value);
    }
    return result;
  }
};

TEST_F(coherence, writes_are_numbered_in_modification_order_wherever_they_are_put) {
  const EventId a = write(0, x, 10);
  EXPECT_EQ(graph.rank(kInitial), 0U);
  EXPECT_EQ(graph.rank(a), 1U);
  write(1, x, 20);
  write_at(2, x, 0, 30);
  EXPECT_EQ(values(x), (std::vector<std::uint64_t>{30, 10, 20}));
  EXPECT_EQ(graph.rank(a), 2U);
  const EventId d = write_at(3, x, 1, 40);
  EXPECT_EQ(values(x), (std::vector<std::uint64_t>{30, 40, 10, 20}));
  graph.move_write(d, 3);
  EXPECT_EQ(values(x), (std::vector<std::uint64_t>{30, 10, 20, 40}));
  graph.move_write(d, 3);
  EXPECT_EQ(values(x), (std::vector<std::uint64_t>{30, 10, 20, 40}));
  graph.move_write(d, 0);
  EXPECT_EQ(values(x), (std::vector<std::uint64_t>{40, 30, 10, 20}));
}

TEST_F(coherence, a_location_lists_who_accessed_it_and_only_such_locations_are_active) {
  graph.location(y);
  EXPECT_TRUE(graph.active().empty());
  const EventId w = write(0, x, 1);
  const EventId r = read(1, x, w);
  read(1, flag, kInitial);
  ASSERT_EQ(graph.active().size(), 2U);
  EXPECT_EQ(graph.active()[0], x);
  EXPECT_EQ(graph.active()[1], flag);
  ASSERT_EQ(graph.location(x).reads.size(), 1U);
  EXPECT_EQ(graph.location(x).reads[0], r);
  EXPECT_TRUE(graph.location(y).untouched());
  EXPECT_EQ(graph.event_count(), 5U) << "two threads begin";
}

TEST_F(coherence, the_initial_value_is_that_of_the_location) {
  graph.location(x).initial = 42;
  EXPECT_EQ(graph.value_of(x, kInitial), 42U);
  EXPECT_EQ(graph.at(read(0, x, kInitial)).value, 42U);
  const EventId w = write(1, x, 43);
  EXPECT_EQ(graph.value_of(x, w), 43U);
}

TEST_F(coherence, who_knows_of_nothing_may_see_everything) {
  write(0, x, 1);
  begin(1);
  EXPECT_EQ(lowest(1), 0U);
  EXPECT_EQ(lowest(1, y), 0U);
}

TEST_F(coherence, nobody_sees_less_than_the_newest_write_before) {
  const EventId a = write(0, x, 1);
  EXPECT_EQ(lowest(0), graph.rank(a)) << "one's own";
  write(1, x, 2);
  const EventId c = write(0, x, 3);
  EXPECT_EQ(lowest(0), graph.rank(c));
  write(2, x, 4);
  EXPECT_EQ(lowest(0), 3U) << "a write that follows is no matter";
  EXPECT_EQ(lowest(1), 2U);
}

TEST_F(coherence, nobody_sees_less_than_a_synchronising_thread_wrote) {
  write(0, x, 1);
  write(0, x, 2);
  const EventId f = write(0, flag, 1, Order::release);
  write(0, x, 3);
  read(1, flag, f, Order::relaxed);
  EXPECT_EQ(lowest(1), 0U);
  read(1, flag, f, Order::acquire);
  EXPECT_EQ(lowest(1), 2U);
}

TEST_F(coherence, the_newest_write_before_counts_whatever_order_they_were_made_in) {
  write(0, x, 1);        // by one thread, and placed
  write_at(1, x, 0, 2);  // before it by another
  const EventId f = write(0, flag, 1, Order::release);
  read(1, flag, f, Order::acquire);
  EXPECT_EQ(lowest(1), 2U);
}

TEST_F(coherence, nobody_sees_less_than_what_was_read_before) {
  write(0, x, 1);
  const EventId b = write(0, x, 2);
  write(0, x, 3);
  read(1, x, b);
  EXPECT_EQ(lowest(1), 2U) << "although the write itself does not happen before";
  const EventId f = write(1, flag, 1, Order::release);
  read(2, flag, f, Order::acquire);
  EXPECT_EQ(lowest(2), 2U) << "and by another, who synchronised";
  begin(3);
  EXPECT_EQ(lowest(3), 0U);
}

TEST_F(coherence, the_newest_read_counts_when_it_is_newer_than_the_newest_write) {
  const EventId a = write(0, x, 1);
  const EventId b = write(1, x, 2);
  const EventId c = write(2, x, 3);
  read(1, x, c);
  EXPECT_EQ(lowest(1), graph.rank(c));
  read(0, x, b);
  EXPECT_EQ(lowest(0), graph.rank(b));
  read(3, x, a);
  read(3, x, b);
  EXPECT_EQ(lowest(3), graph.rank(b));
}

TEST_F(coherence, reading_the_initial_value_forbids_nothing) {
  read(1, x, kInitial);
  write(0, x, 1);
  EXPECT_EQ(lowest(1), 0U);
}

TEST_F(coherence, the_read_modify_write_of_a_write_is_found) {
  const EventId w = write(0, x, 1);
  read(1, x, w);
  EXPECT_EQ(graph.rmw_reader(x, w, kInitial), kInitial) << "a mere read";
  const EventId u = update(2, x, w, 2);
  const EventId half = event_id(2, u.index() - 1);
  EXPECT_EQ(graph.rmw_reader(x, w, kInitial), half);
  EXPECT_EQ(graph.rmw_reader(x, w, half), kInitial) << "other than itself";
  EXPECT_EQ(graph.rmw_reader(x, u, kInitial), kInitial);
  EXPECT_EQ(graph.rmw_reader(x, kInitial, kInitial), kInitial);
}

TEST_F(coherence, a_compare_exchange_is_a_read_modify_write_when_it_succeeds) {
  const EventId failed = compare(1, x, kInitial, 5);
  EXPECT_EQ(graph.rmw_reader(x, kInitial, kInitial), kInitial);
  const EventId done = compare(2, x, kInitial, 0);
  EXPECT_EQ(graph.rmw_reader(x, kInitial, kInitial), done);
  EXPECT_EQ(graph.rmw_reader(x, kInitial, failed), done);
  EXPECT_EQ(graph.rmw_reader(x, kInitial, done), kInitial);
}

}  // namespace
}  // namespace fencepost::checker
