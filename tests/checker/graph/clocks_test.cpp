// SPDX-License-Identifier: MIT
// What happens before what, for each way in which C++ lets one thread synchronise with another.
#include <gtest/gtest.h>

#include "graph/drawing.hpp"

namespace fencepost::checker {
namespace {

constexpr LocationId x = 0;
constexpr LocationId y = 1;
constexpr LocationId data = 2;

class clocks : public testing::Test, public Drawing {
 protected:
  bool before(EventId a, EventId b) const { return graph.happens_before(a, b); }
};

TEST_F(clocks, an_event_is_after_itself_and_what_precedes_it_in_its_thread_and_nothing_else) {
  const EventId a = write(0, x, 1);
  const EventId b = write(0, y, 1);
  const EventId c = write(1, data, 1);
  EXPECT_TRUE(before(a, a));
  EXPECT_TRUE(before(a, b));
  EXPECT_TRUE(before(event_id(0, 0), a)) << "the beginning of the thread";
  EXPECT_FALSE(before(b, a));
  EXPECT_FALSE(before(a, c));
  EXPECT_FALSE(before(c, a));
  EXPECT_TRUE(graph.porf_before(a, b));
  EXPECT_FALSE(graph.porf_before(b, a));
  EXPECT_FALSE(graph.porf_before(a, c));
}

TEST_F(clocks, an_acquire_read_of_a_release_write_is_after_it_and_its_past) {
  const EventId earlier = write(0, data, 1);
  const EventId w = write(0, x, 1, Order::release);
  const EventId later = write(0, y, 1);
  const EventId first = write(1, y, 2);
  const EventId r = read(1, x, w, Order::acquire);
  const EventId next = write(1, data, 2);
  EXPECT_TRUE(before(earlier, r));
  EXPECT_TRUE(before(w, r));
  EXPECT_TRUE(before(earlier, next));
  EXPECT_FALSE(before(later, r));
  EXPECT_FALSE(before(earlier, first)) << "what the reader did before it read";
}

TEST_F(clocks, synchronising_takes_both_a_release_and_an_acquire) {
  const auto synchronises = [](Order order_write, Order order_read) {
    Drawing d;
    const EventId w = d.write(0, x, 1, order_write);
    const EventId r = d.read(1, x, w, order_read);
    EXPECT_TRUE(d.graph.porf_before(w, r)) << "reads-from is there all the same";
    return d.graph.happens_before(w, r);
  };
  for (const Order w : {Order::plain, Order::relaxed, Order::release, Order::seq_cst}) {
    for (const Order r : {Order::plain, Order::relaxed, Order::acquire, Order::seq_cst}) {
      const bool expected = (w == Order::release || w == Order::seq_cst) &&
                            (r == Order::acquire || r == Order::seq_cst);
      EXPECT_EQ(synchronises(w, r), expected)
          << "write " << static_cast<int>(w) << ", read " << static_cast<int>(r);
    }
  }
}

TEST_F(clocks, reading_the_initial_value_synchronises_with_nobody) {
  const EventId w = write(0, x, 1, Order::release);
  const EventId r = read(1, x, kInitial, Order::acquire);
  EXPECT_FALSE(before(w, r));
  EXPECT_FALSE(graph.porf_before(w, r));
}

TEST_F(clocks, order_is_passed_on_through_a_third_thread) {
  const EventId w = write(0, x, 1, Order::release);
  read(1, x, w, Order::acquire);
  const EventId v = write(1, y, 1, Order::release);
  EXPECT_TRUE(before(w, read(2, y, v, Order::acquire)));
  const EventId relaxed = read(3, y, v, Order::relaxed);
  EXPECT_FALSE(before(w, relaxed));
  EXPECT_TRUE(graph.porf_before(w, relaxed)) << "program order and reads-from are passed on";
}

TEST_F(clocks, read_modify_writes_of_any_order_continue_a_release_sequence) {
  const EventId head = write(0, x, 1, Order::release);
  const EventId first = update(1, x, head, 2);
  const EventId second = update(2, x, first, 3);
  const EventId r = read(3, x, second, Order::acquire);
  EXPECT_TRUE(before(head, r));
  EXPECT_FALSE(before(first, r)) << "a relaxed read-modify-write passes on, and adds nothing";
  EXPECT_FALSE(before(second, r));
  EXPECT_FALSE(before(head, second)) << "nor does it acquire";
}

TEST_F(clocks, a_releasing_read_modify_write_adds_itself_to_the_sequence) {
  const EventId head = write(0, x, 1, Order::release);
  const EventId first = update(1, x, head, 2, Order::relaxed, Order::release);
  const EventId second = update(2, x, first, 3);
  const EventId r = read(3, x, second, Order::acquire);
  EXPECT_TRUE(before(head, r));
  EXPECT_TRUE(before(first, r));
  EXPECT_FALSE(before(second, r));
}

TEST_F(clocks, a_read_modify_write_of_the_initial_value_heads_its_own_sequence) {
  const EventId u = update(0, x, kInitial, 1, Order::acquire, Order::release);
  EXPECT_TRUE(before(u, read(1, x, u, Order::acquire)));
}

TEST_F(clocks, a_plain_store_ends_a_release_sequence_also_in_the_thread_that_began_it) {
  const EventId head = write(0, x, 1, Order::release);
  const EventId next = write(0, x, 2, Order::relaxed);
  EXPECT_FALSE(before(head, read(1, x, next, Order::acquire))) << "C++20, not C++17";
}

TEST_F(clocks, a_release_fence_makes_later_relaxed_writes_release_what_was_before_the_fence) {
  const EventId earlier = write(0, data, 1);
  const EventId too_early = write(0, y, 1);
  const EventId f = fence(0, Order::release);
  const EventId between = write(0, data, 2);
  const EventId w = write(0, x, 1);
  const EventId r = read(1, x, w, Order::acquire);
  EXPECT_TRUE(before(earlier, r));
  EXPECT_TRUE(before(f, r));
  EXPECT_FALSE(before(between, r)) << "the fence synchronises, not the write";
  EXPECT_FALSE(before(w, r));
  EXPECT_FALSE(before(earlier, read(2, y, too_early, Order::acquire)));
}

TEST_F(clocks, a_release_write_after_a_release_fence_releases_all_before_itself) {
  fence(0, Order::release);
  const EventId between = write(0, data, 1);
  const EventId w = write(0, x, 1, Order::release);
  EXPECT_TRUE(before(between, read(1, x, w, Order::acquire)));
}

TEST_F(clocks, the_last_release_fence_counts) {
  fence(0, Order::release);
  const EventId between = write(0, data, 1);
  fence(0, Order::acq_rel);
  const EventId w = write(0, x, 1);
  EXPECT_TRUE(before(between, read(1, x, w, Order::acquire)));
}

TEST_F(clocks, a_read_modify_write_after_a_release_fence_releases_and_continues_at_once) {
  const EventId head = write(0, x, 1, Order::release);
  const EventId own = write(1, data, 1);
  fence(1, Order::release);
  const EventId u = update(1, x, head, 2);
  const EventId r = read(2, x, u, Order::acquire);
  EXPECT_TRUE(before(head, r));
  EXPECT_TRUE(before(own, r));
}

TEST_F(clocks, an_acquire_fence_acquires_for_all_reads_before_it) {
  const EventId a = write(0, x, 1, Order::release);
  const EventId b = write(1, y, 1, Order::release);
  const EventId c = write(2, data, 1, Order::release);
  read(3, x, a);
  const EventId r = read(3, y, b);
  EXPECT_FALSE(before(a, r));
  const EventId f = fence(3, Order::acquire);
  const EventId later = read(3, data, c);
  EXPECT_TRUE(before(a, f));
  EXPECT_TRUE(before(b, f));
  EXPECT_TRUE(before(a, later));
  EXPECT_FALSE(before(c, later)) << "a read after the fence";
}

TEST_F(clocks, fences_synchronise_with_the_strength_that_they_have) {
  const auto synchronise = [](Order one, Order other) {
    Drawing d;
    const EventId w = d.write(0, data, 1);
    d.fence(0, one);
    const EventId flag = d.write(0, x, 1);
    d.read(1, x, flag);
    return d.graph.happens_before(w, d.fence(1, other));
  };
  for (const Order one : {Order::acquire, Order::release, Order::acq_rel, Order::seq_cst}) {
    for (const Order other : {Order::acquire, Order::release, Order::acq_rel, Order::seq_cst}) {
      EXPECT_EQ(synchronise(one, other), one != Order::acquire && other != Order::release)
          << static_cast<int>(one) << ", " << static_cast<int>(other);
    }
  }
}

TEST_F(clocks, a_thread_is_after_its_creation_and_a_join_after_the_thread) {
  const EventId earlier = write(0, data, 1);
  const EventId c = create(0, 1);
  const EventId meanwhile = write(0, data, 2);
  const EventId b = begin(1, c);
  const EventId w = write(1, y, 1);
  const EventId e = end(1);
  const EventId j = join(0, e);
  EXPECT_TRUE(before(earlier, b));
  EXPECT_TRUE(before(c, w));
  EXPECT_FALSE(before(meanwhile, w));
  EXPECT_TRUE(before(w, j));
  EXPECT_TRUE(graph.porf_before(earlier, w));
  EXPECT_TRUE(graph.porf_before(w, j));
  EXPECT_FALSE(before(w, meanwhile));
}

TEST_F(clocks, a_read_that_gets_another_source_gets_its_value_and_clocks) {
  const EventId w = write(0, x, 7, Order::release);
  const EventId r = read(1, x, w, Order::acquire);
  EXPECT_EQ(graph.at(r).value, 7U);
  graph.location(x).initial = 3;
  graph.set_source(r, kInitial);
  EXPECT_EQ(graph.at(r).value, 3U);
  EXPECT_FALSE(before(w, r));
  EXPECT_FALSE(graph.porf_before(w, r));
  graph.set_source(r, w);
  EXPECT_EQ(graph.at(r).value, 7U);
  EXPECT_TRUE(before(w, r));
}

TEST_F(clocks, a_compare_exchange_has_the_order_of_its_outcome) {
  const EventId w = write(0, x, 7, Order::release);
  const EventId done = compare(1, x, w, 7, Order::acquire, Order::relaxed);
  const EventId failed = compare(2, x, w, 8, Order::acquire, Order::relaxed);
  const EventId failed_acquire = compare(3, x, w, 8, Order::relaxed, Order::acquire);
  EXPECT_TRUE(before(w, done));
  EXPECT_FALSE(before(w, failed));
  EXPECT_TRUE(before(w, failed_acquire));
  EXPECT_TRUE(succeeds(graph.at(done)));
  EXPECT_FALSE(succeeds(graph.at(failed)));
  graph.set_source(done, kInitial);
  EXPECT_EQ(graph.at(done).order, Order::relaxed);
  EXPECT_FALSE(succeeds(graph.at(done)));
}

TEST_F(clocks, grow_with_the_number_of_threads) {
  const EventId w = write(0, x, 1, Order::release);
  const EventId r = read(7, x, w, Order::acquire);
  const EventId v = write(7, y, 1, Order::release);
  for (const unsigned thread : {8U, 17U, kMaxThreads - 1}) {
    const EventId first = read(thread, y, v, Order::acquire);
    EXPECT_TRUE(before(w, r)) << "what was known stays known";
    EXPECT_FALSE(before(r, w));
    EXPECT_TRUE(before(w, first));
    EXPECT_TRUE(before(r, first));
    const EventId own = write(thread, data, 1, Order::release);
    EXPECT_TRUE(before(own, read(1, data, own, Order::acquire)));
    EXPECT_FALSE(before(own, v));
  }
  const EventId last = event_id(kMaxThreads - 1, 1);
  EXPECT_FALSE(before(event_id(8, 1), last));
  EXPECT_TRUE(before(event_id(8, 2), event_id(1, 1)));
}

TEST_F(clocks, each_of_many_threads_counts) {
  EventId previous = write(0, x, 0, Order::release);
  for (unsigned t = 1; t < kMaxThreads; ++t) {
    previous = update(t, x, previous, t, Order::acquire, Order::release);
    for (unsigned s = 0; s < t; ++s) ASSERT_TRUE(before(event_id(s, 1), previous)) << s << " " << t;
  }
  for (unsigned t = 1; t < kMaxThreads; ++t) {
    EXPECT_FALSE(before(event_id(t, 1), event_id(t - 1, graph.size(t - 1) - 1))) << t;
  }
}

}  // namespace
}  // namespace fencepost::checker
