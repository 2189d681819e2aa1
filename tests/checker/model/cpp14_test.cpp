// SPDX-License-Identifier: MIT
// C++14: what it says of graphs that are whole, what it lets the exploration go on with, and what
// the one needs that the other does not know yet.
#include <gtest/gtest.h>

#include "graph/drawing.hpp"
#include "model/model.hpp"

namespace fencepost::checker {
namespace {

using enum Order;

constexpr LocationId flag = 0;
constexpr LocationId lock = 1;
constexpr LocationId signal = 2;
constexpr LocationId data = 3;

Judgement judged(Drawing& d) { return kCpp14.judge(d.graph); }
bool goes_on(Drawing& d) { return kCpp14.consistent(d.graph); }

// Z clears the flag and sets the signal, X waits for that, raises the flag and sees the lock held,
// Y lets go and sees the flag cleared.
struct LostWakeup : Drawing {
  explicit LostWakeup(Order clearing) {
    const EventId z = write(0, flag, 0, clearing);
    const EventId set = write(0, signal, 1, release);
    read(1, signal, set, acquire);
    raised = write(1, flag, 1, seq_cst);
    read(1, lock, kInitial, seq_cst);
    write(2, lock, 1, seq_cst);
    read(2, flag, z, seq_cst);
  }
  EventId raised;
};

TEST(cpp14, a_load_does_not_see_what_happens_before_the_last_seq_cst_store) {
  LostWakeup d(release);
  EXPECT_EQ(judged(d), Judgement::wants_store);
  EXPECT_TRUE(goes_on(d)) << "one more store may come between";
}

TEST(cpp14, a_negligible_store_makes_a_forbidden_execution_an_admitted_one) {
  LostWakeup d(release);
  d.write(3, flag, 1, seq_cst);
  EXPECT_EQ(judged(d), Judgement::admitted);
  EXPECT_FALSE(kRc11.consistent(d.graph));
}

TEST(cpp14, the_store_must_come_after_in_modification_order_too) {
  LostWakeup d(release);
  d.write_at(3, flag, 1, 1, seq_cst);
  EXPECT_EQ(judged(d), Judgement::wants_store);
}

TEST(cpp14, a_store_that_is_not_seq_cst_helps_nobody) {
  LostWakeup d(release);
  d.write(3, flag, 1, release);
  EXPECT_EQ(judged(d), Judgement::wants_store);
}

TEST(cpp14, a_seq_cst_store_is_seen_only_by_loads_before_the_next) {
  LostWakeup d(seq_cst);
  d.write(3, flag, 1, seq_cst);
  EXPECT_EQ(judged(d), Judgement::forbidden);
  EXPECT_FALSE(goes_on(d));
}

TEST(cpp14, what_comes_before_all_threads_is_seen_by_no_load_after_a_seq_cst_store) {
  // As above, the main thread has cleared the flag before it created the others.
  Drawing d;
  const EventId cleared = d.write(0, flag, 0, release);
  for (unsigned t = 1; t <= 3; ++t) d.begin(t, d.create(0, t));
  d.write(1, flag, 1, seq_cst);
  d.read(1, lock, kInitial, seq_cst);
  d.write(2, lock, 1, seq_cst);
  d.read(2, flag, cleared, seq_cst);
  EXPECT_EQ(judged(d), Judgement::forbidden);
  EXPECT_FALSE(goes_on(d));
  d.write(3, flag, 1, seq_cst);
  EXPECT_EQ(judged(d), Judgement::forbidden);
}

// Two loads, each of which misses the other's store if it comes before it or between stores of
// others: one way has to be tried, and then the other.
TEST(cpp14, alternatives_that_nothing_decides_are_tried) {
  const auto shape = [](bool gap_for_second) {
    Drawing d;
    EventId old[2];
    for (unsigned i = 0; i < 2; ++i) {
      old[i] = d.write(0, flag + i, 7, release);
    }
    const EventId set = d.write(0, signal, 1, release);
    for (unsigned i = 0; i < 2; ++i) {  // threads 1 and 2: after both, raise a flag each
      d.read(1 + i, signal, set, acquire);
      d.write(1 + i, flag + i, 1, seq_cst);
    }
    for (unsigned i = 0; i < 2; ++i) d.read(1 + i, flag + 1 - i, old[1 - i], seq_cst);
    d.write(3, flag, 1, seq_cst);
    if (gap_for_second) d.write(4, flag + 1, 1, seq_cst);
    return judged(d);
  };
  EXPECT_EQ(shape(false), Judgement::admitted);
  EXPECT_EQ(shape(true), Judgement::admitted);
}

// A load of x that misses x's first seq_cst store, but not by any order of what stands here: it is
// before that one or after the second, which comes from elsewhere. Of the loads of y and z, each
// may be either way too, but not both after the second; nor can they be before the first if the
// load of x is before its first. So that way is open, and it fails. In the same manner u and v let
// the other way fail.
Judgement judged_with(const bool first_way_fails, const bool second_way_fails) {
  constexpr LocationId x = 0, y = 1, z = 2, u = 3, v = 4;
  constexpr LocationId of_x = 5, of_z = 6, of_v = 7, of_load = 8, elsewhere = 9;
  Drawing d;
  // Not seq_cst, and before the first seq_cst store; returns what a load may still see.
  const auto begin = [&d](unsigned thread, LocationId l) {
    const EventId old = d.write(thread, l, 1);
    d.write(thread, l, 2, seq_cst);
    return old;
  };
  const EventId x_old = begin(0, x);
  const EventId x_is_set = d.write(0, of_x, 1, release);
  EventId y_old, z_old, u_old, v_old;
  if (first_way_fails) {
    z_old = begin(2, z);
    y_old = begin(1, y);
    d.read(1, of_z, d.write(2, of_z, 1, release), acquire);
  }
  if (second_way_fails) {
    v_old = begin(5, v);
    u_old = begin(4, u);
    d.read(4, of_v, d.write(5, of_v, 1, release), acquire);
  }
  d.read(1, x, x_old, seq_cst);
  const EventId loaded = d.write(1, of_load, 1, release);
  // The order that is looked at first has these late, so that the load is between x's two stores.
  for (int i = 0; i < 3; ++i) d.write(4, elsewhere, i, seq_cst);
  d.write(4, x, 3, seq_cst);
  // `thread` loads `mine` and stores to `other`, and one that it has told loads `other` and stores
  // to `mine`: so not both loads are after the stores.
  const auto not_both = [&d](unsigned thread, LocationId mine, EventId mine_old, LocationId other,
                             EventId other_old, EventId told, unsigned who_is_told) {
    d.read(thread, mine, mine_old, seq_cst);
    d.write(thread, other, 3, seq_cst);
    d.read(who_is_told, d.graph.at(told).location, told, acquire);
    d.read(who_is_told, other, other_old, seq_cst);
    d.write(who_is_told, mine, 3, seq_cst);
  };
  if (first_way_fails) not_both(0, y, y_old, z, z_old, x_is_set, 3);
  if (second_way_fails) not_both(1, u, u_old, v, v_old, loaded, 6);
  return judged(d);
}

TEST(cpp14, of_an_alternative_that_nothing_decides_each_way_is_tried) {
  EXPECT_EQ(judged_with(false, false), Judgement::admitted);
  EXPECT_EQ(judged_with(true, false), Judgement::admitted);
  EXPECT_EQ(judged_with(false, true), Judgement::admitted);
  EXPECT_EQ(judged_with(true, true), Judgement::wants_store);
}

TEST(cpp14, happens_before_orders_seq_cst_operations_even_where_cpp20_lets_it_not) {
  Drawing d;  // Z6.U
  d.write(0, data, 1, seq_cst);
  const EventId message = d.write(0, flag, 1, release);
  d.update(1, flag, message, 2, seq_cst, seq_cst);
  d.write(2, flag, 3, seq_cst);
  d.read(2, data, kInitial, seq_cst);
  EXPECT_EQ(judged(d), Judgement::forbidden);
  EXPECT_FALSE(goes_on(d));
  EXPECT_TRUE(kRc11.consistent(d.graph));
}

// What the reader knows of data that were written before a release store and before a later store
// of that thread, which it reads.
bool knows(Drawing& d, const Order second, const bool gap, const bool update) {
  const EventId w = d.write(0, data, 1);
  const EventId head = d.write(0, flag, 1, release);
  if (gap) d.write(1, flag, 7);
  if (update) d.update(1, flag, head, 8);
  const EventId last = d.write(0, flag, 2, second);
  const EventId r = d.read(2, flag, last, acquire);
  EXPECT_EQ(judged(d), Judgement::admitted);
  return Graph::includes(kCpp14.clock(r), w);
}

TEST(cpp14, a_release_sequence_goes_on_with_stores_of_its_thread) {
  Drawing d;
  EXPECT_TRUE(knows(d, relaxed, false, false));
  EXPECT_FALSE(d.graph.happens_before(event_id(0, 1), event_id(2, 1))) << "but not under C++20";
}

TEST(cpp14, a_release_sequence_ends_with_a_store_of_another_thread) {
  Drawing gap;
  EXPECT_FALSE(knows(gap, relaxed, true, false));
  Drawing update;
  EXPECT_TRUE(knows(update, relaxed, false, true));
  Drawing plain;
  EXPECT_FALSE(knows(plain, Order::plain, false, false)) << "a new object begins";
}

TEST(cpp14, a_release_fence_may_stand_at_the_head_of_a_release_sequence) {
  for (const bool fence : {false, true}) {
    Drawing d;
    const EventId w = d.write(0, data, 1);
    if (fence) d.fence(0, release);
    d.write(0, flag, 1, relaxed);
    const EventId last = d.write(0, flag, 2, relaxed);
    const EventId r = d.read(1, flag, last, acquire);
    EXPECT_EQ(judged(d), Judgement::admitted);
    EXPECT_EQ(Graph::includes(kCpp14.clock(r), w), fence);
  }
}

TEST(cpp14, what_happens_before_by_its_own_release_sequences_is_before_in_the_total_order_too) {
  for (const bool continues : {false, true}) {
    Drawing d;
    d.write(0, lock, 1, seq_cst);
    d.write(0, flag, 1, continues ? release : relaxed);
    const EventId last = d.write(0, flag, 2, relaxed);
    d.read(1, flag, last, acquire);
    d.read(1, data, kInitial, seq_cst);
    d.write(2, data, 1, seq_cst);
    d.read(2, lock, kInitial, seq_cst);
    EXPECT_EQ(judged(d), continues ? Judgement::forbidden : Judgement::admitted);
    EXPECT_TRUE(kRc11.consistent(d.graph));
  }
}

TEST(cpp14, what_was_released_is_not_missed_by_who_reads_a_later_store_of_the_sequence) {
  Drawing d;
  d.write(0, data, 1);
  d.write(0, flag, 1, release);
  const EventId last = d.write(0, flag, 2);
  d.read(1, flag, last, acquire);
  d.read(1, data, kInitial);
  EXPECT_EQ(judged(d), Judgement::forbidden);
  EXPECT_TRUE(goes_on(d)) << "a store may come between";
  d.write_at(2, flag, 1, 7);
  EXPECT_EQ(judged(d), Judgement::admitted);
}

TEST(cpp14, a_graph_may_be_judged_twice) {
  LostWakeup d(release);
  const EventId w = d.write(3, flag, 1, seq_cst);
  EXPECT_EQ(judged(d), Judgement::admitted);
  EXPECT_EQ(judged(d), Judgement::admitted);
  d.graph.cut(d.graph.at(w).stamp - 1);
  EXPECT_EQ(judged(d), Judgement::wants_store);
}

}  // namespace
}  // namespace fencepost::checker
