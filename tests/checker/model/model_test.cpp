// SPDX-License-Identifier: MIT
// What each model says of the shapes from the literature, drawn by hand. The threads observe what
// sequential consistency forbids; the question is who else forbids it. The shapes are coherent and
// atomic, as every graph is that a model is asked about.
#include "model/model.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "graph/drawing.hpp"

namespace fencepost::checker {
namespace {

using enum Order;

constexpr LocationId x = 0;
constexpr LocationId y = 1;
constexpr LocationId z = 2;

struct Verdicts {
  bool cpp20;
  bool x86;
  bool sc;
  friend bool operator==(const Verdicts&, const Verdicts&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Verdicts& v) {
    return out << "c++20 " << v.cpp20 << ", x86 " << v.x86 << ", sc " << v.sc;
  }
};

constexpr Verdicts kAll{true, true, true};
constexpr Verdicts kWeak{true, true, false};  // under c++20 and x86
constexpr Verdicts kCpp20Alone{true, false, false};
constexpr Verdicts kX86Alone{false, true, false};
constexpr Verdicts kNobody{false, false, false};

Verdicts allowed_by(Drawing& d) {
  return {kRc11.consistent(d.graph), kX86.consistent(d.graph),
          kSequentialConsistency.consistent(d.graph)};
}

using Step = std::function<void(Drawing&, unsigned thread)>;

Step nothing() {
  return [](Drawing&, unsigned) {};
}
Step fenced(Order order) {
  return [order](Drawing& d, unsigned thread) { d.fence(thread, order); };
}

// x = 1; between; y == 0  ||  y = 1; between; x == 0
Verdicts store_buffering(Order stores, Order loads, const Step& one, const Step& other) {
  Drawing d;
  d.write(0, x, 1, stores);
  one(d, 0);
  d.read(0, y, kInitial, loads);
  d.write(1, y, 1, stores);
  other(d, 1);
  d.read(1, x, kInitial, loads);
  return allowed_by(d);
}
Verdicts store_buffering(Order stores, Order loads, const Step& both = nothing()) {
  return store_buffering(stores, loads, both, both);
}

TEST(model, is_found_by_its_name) {
  EXPECT_EQ(find_model("c++20"), &kRc11);
  EXPECT_EQ(find_model("c++14"), &kCpp14);
  EXPECT_EQ(find_model("x86"), &kX86);
  EXPECT_EQ(find_model("sc"), &kSequentialConsistency);
  EXPECT_EQ(find_model("c++"), nullptr);
  EXPECT_EQ(find_model(""), nullptr);
  for (const Model* m : {&kRc11, &kCpp14, &kX86, &kSequentialConsistency}) {
    EXPECT_EQ(find_model(m->name), m);
    EXPECT_NE(m->assumption[0], '\0');
  }
}

TEST(model, the_empty_graph_and_a_single_thread_are_consistent) {
  Drawing d;
  EXPECT_EQ(allowed_by(d), kAll);
  const EventId w = d.write(0, x, 1, seq_cst);
  d.fence(0, seq_cst);
  d.read(0, x, w, seq_cst);
  d.read(0, y, kInitial, seq_cst);
  EXPECT_EQ(allowed_by(d), kAll);
}

TEST(model, a_graph_may_be_asked_about_twice) {
  Drawing d;
  d.write(0, x, 1, seq_cst);
  d.read(0, y, kInitial, seq_cst);
  const EventId w = d.write(1, y, 1, seq_cst);
  EXPECT_EQ(allowed_by(d), kAll);
  const EventId r = d.read(1, x, kInitial, seq_cst);
  EXPECT_EQ(allowed_by(d), kNobody);
  EXPECT_EQ(allowed_by(d), kNobody);
  d.graph.set_source(r, event_id(0, 1));
  EXPECT_EQ(allowed_by(d), kAll);
  d.graph.cut(d.graph.at(w).stamp);
  EXPECT_EQ(allowed_by(d), kAll);
}

TEST(store_buffering, is_seen_unless_both_threads_are_seq_cst) {
  EXPECT_EQ(store_buffering(relaxed, relaxed), kWeak);
  EXPECT_EQ(store_buffering(release, acquire), kWeak);
  EXPECT_EQ(store_buffering(seq_cst, seq_cst), kNobody);
}

TEST(store_buffering, takes_seq_cst_stores_and_loads_in_cpp20_and_stores_alone_on_x86) {
  EXPECT_EQ(store_buffering(seq_cst, acquire), kCpp20Alone);
  EXPECT_EQ(store_buffering(release, seq_cst), kWeak);
}

TEST(store_buffering, is_forbidden_by_seq_cst_fences_in_both_threads) {
  EXPECT_EQ(store_buffering(relaxed, relaxed, fenced(seq_cst)), kNobody);
  EXPECT_EQ(store_buffering(relaxed, relaxed, fenced(seq_cst), nothing()), kWeak);
  EXPECT_EQ(store_buffering(relaxed, relaxed, nothing(), fenced(seq_cst)), kWeak);
  EXPECT_EQ(store_buffering(relaxed, relaxed, fenced(seq_cst), fenced(acq_rel)), kWeak);
  EXPECT_EQ(store_buffering(release, acquire, fenced(acq_rel)), kWeak);
}

TEST(store_buffering, is_forbidden_by_a_fence_against_seq_cst_accesses) {
  for (const bool fence_first : {true, false}) {
    Drawing d;
    const unsigned a = fence_first ? 0 : 1;
    const unsigned b = 1 - a;
    d.write(a, x, 1);
    d.fence(a, seq_cst);
    d.read(a, y, kInitial);
    d.write(b, y, 1, seq_cst);
    d.read(b, x, kInitial, seq_cst);
    EXPECT_EQ(allowed_by(d), kNobody);
  }
}

TEST(store_buffering, a_read_modify_write_in_place_of_the_store_is_a_fence_on_x86_alone) {
  Drawing d;
  d.update(0, x, kInitial, 1);
  d.read(0, y, kInitial);
  d.update(1, y, kInitial, 1);
  d.read(1, x, kInitial);
  EXPECT_EQ(allowed_by(d), kCpp20Alone);
}

TEST(store_buffering, a_read_modify_write_between_is_a_fence_on_x86_alone) {
  EXPECT_EQ(store_buffering(
                relaxed, relaxed,
                [](Drawing& d, unsigned thread) { d.update(thread, z + thread, kInitial, 1); }),
            kCpp20Alone);
}

TEST(store_buffering, a_compare_exchange_that_fails_is_a_fence_on_x86_alone) {
  const Step fails = [](Drawing& d, unsigned thread) { d.compare(thread, z, kInitial, 7); };
  const Step fails_for_no_reason = [](Drawing& d, unsigned thread) {
    d.read(thread, z, kInitial, relaxed, kLocked);
  };
  const Step loads = [](Drawing& d, unsigned thread) { d.read(thread, z, kInitial, seq_cst); };
  EXPECT_EQ(store_buffering(relaxed, relaxed, fails), kCpp20Alone);
  EXPECT_EQ(store_buffering(relaxed, relaxed, fails_for_no_reason), kCpp20Alone);
  EXPECT_EQ(store_buffering(relaxed, relaxed, fails, fails_for_no_reason), kCpp20Alone);
  EXPECT_EQ(store_buffering(relaxed, relaxed, fails, nothing()), kWeak);
  EXPECT_EQ(store_buffering(relaxed, relaxed, fails, loads), kWeak);
  EXPECT_EQ(store_buffering(relaxed, relaxed, loads), kWeak);
}

TEST(store_buffering, a_locked_store_between_is_a_fence_on_x86_alone) {
  const auto unlock = [](std::uint16_t flags) {
    return [flags](Drawing& d, unsigned thread) { d.write(thread, z + thread, 0, release, flags); };
  };
  EXPECT_EQ(store_buffering(relaxed, relaxed, unlock(kLocked)), kCpp20Alone);
  EXPECT_EQ(store_buffering(relaxed, relaxed, unlock(0)), kWeak);
}

TEST(store_buffering, a_thread_sees_its_own_store_before_others_do) {
  for (const Order order : {relaxed, seq_cst}) {
    Drawing d;
    const EventId a = d.write(0, x, 1);
    d.read(0, x, a, order);
    d.read(0, y, kInitial, order);
    const EventId b = d.write(1, y, 1);
    d.read(1, y, b, order);
    d.read(1, x, kInitial, order);
    EXPECT_EQ(allowed_by(d), kWeak);
  }
}

const Step light = [](Drawing& d, unsigned thread) { d.light_fence(thread); };
const Step heavy = [](Drawing& d, unsigned thread) { d.heavy_fence(thread); };

TEST(asymmetric_fences, forbid_store_buffering_if_one_of_them_is_heavy) {
  EXPECT_EQ(store_buffering(relaxed, relaxed, light, heavy), kNobody);
  EXPECT_EQ(store_buffering(relaxed, relaxed, heavy, light), kNobody);
  EXPECT_EQ(store_buffering(relaxed, relaxed, heavy, heavy), kNobody);
  EXPECT_EQ(store_buffering(relaxed, relaxed, heavy, fenced(seq_cst)), kNobody);
  EXPECT_EQ(store_buffering(relaxed, relaxed, light, light), kWeak);
  EXPECT_EQ(store_buffering(relaxed, relaxed, light, fenced(seq_cst)), kWeak);
  EXPECT_EQ(store_buffering(relaxed, relaxed, nothing(), heavy), kWeak);
  EXPECT_EQ(store_buffering(seq_cst, seq_cst, light, nothing()), kNobody);
}

TEST(asymmetric_fences, light_ones_do_not_order_seq_cst_accesses_elsewhere) {
  Drawing d;
  d.write(0, x, 1);
  d.light_fence(0);
  d.read(0, y, kInitial);
  d.write(1, y, 1, seq_cst);
  d.read(1, x, kInitial, seq_cst);
  EXPECT_EQ(allowed_by(d), kWeak);
  d.heavy_fence(2);  // comes too late to matter, or too early
  EXPECT_EQ(allowed_by(d), kWeak);
}

TEST(asymmetric_fences, close_a_ring_of_threads_unless_two_light_ones_meet) {
  const auto ring = [](const std::vector<Step>& fences) {
    Drawing d;
    const auto threads = static_cast<unsigned>(fences.size());
    for (unsigned t = 0; t < threads; ++t) {
      d.write(t, t, 1);
      fences[t](d, t);
      d.read(t, (t + 1) % threads, kInitial);
    }
    return allowed_by(d);
  };
  EXPECT_EQ(ring({light, heavy, heavy}), kNobody);
  EXPECT_EQ(ring({light, heavy, light}), kWeak);
  EXPECT_EQ(ring({light, heavy, light, heavy}), kNobody);
  EXPECT_EQ(ring({light, heavy, heavy, light}), kWeak);
  EXPECT_EQ(ring({light, heavy, light, heavy, light, heavy}), kNobody);
  EXPECT_EQ(ring({light, heavy, light, heavy, light, light}), kWeak);
  // A plain fence orders its own thread's accesses, which on x86 is enough.
  EXPECT_EQ(ring({light, heavy, fenced(seq_cst)}), kCpp20Alone);
}

TEST(undivided_additions, are_before_a_heavy_fence_or_after_it) {
  // x: 0 → 1; y == 0  ||  y = 1; F; x == 0
  const auto shape = [](const Step& fence) {
    Drawing d;
    d.undivided(0, x, kInitial, 1);
    d.read(0, y, kInitial);
    d.write(1, y, 1);
    fence(d, 1);
    d.read(1, x, kInitial);
    return allowed_by(d);
  };
  EXPECT_EQ(shape(heavy), kNobody);
  EXPECT_EQ(shape(fenced(seq_cst)), kWeak);
  EXPECT_EQ(shape(light), kWeak);
}

TEST(undivided_additions, let_writes_come_between_but_no_heavy_fence) {
  // x: 0 → 1 after the two writes  ||  x = 5; F; x = 6
  const auto astride = [](const Step& fence) {
    Drawing d;
    d.write(1, x, 5);
    fence(d, 1);
    d.write(1, x, 6);
    d.undivided(0, x, kInitial, 1);
    return allowed_by(d);
  };
  EXPECT_EQ(astride(heavy), kNobody);
  EXPECT_EQ(astride(fenced(seq_cst)), kAll);
  EXPECT_EQ(astride(nothing()), kAll);
}

TEST(undivided_additions, hold_from_their_read_on) {
  // The read alone, whose write is still to come, counts as the whole.
  Drawing d;
  d.write(0, z, 1);
  d.read(0, x, kInitial, acquire, kNonatomic);
  d.write(1, x, 1);
  d.heavy_fence(1);
  d.read(1, z, kInitial);
  EXPECT_EQ(allowed_by(d), kNobody);
}

// x = 1; y = 1  ||  y == 1; x == 0
TEST(message_passing, needs_no_order_on_x86) {
  Drawing d;
  d.write(0, x, 1);
  const EventId w = d.write(0, y, 1);
  d.read(1, y, w);
  d.read(1, x, kInitial);
  EXPECT_EQ(allowed_by(d), kCpp20Alone);
}

TEST(message_passing, is_as_sequential_consistency_has_it_when_the_message_is_read) {
  Drawing d;
  const EventId v = d.write(0, x, 1);
  const EventId w = d.write(0, y, 1);
  d.read(1, y, w);
  d.read(1, x, v);
  EXPECT_EQ(allowed_by(d), kAll);
}

TEST(message_passing, a_late_store_of_a_buffer_is_not_overtaken_by_an_earlier_one) {
  // x = 1; y = 1; z == 0  ||  z = 1; fence; y == 0 ; x == 1: the buffer is emptied in order.
  Drawing d;
  const EventId a = d.write(0, x, 1);
  d.write(0, y, 1);
  d.read(0, z, kInitial);
  d.write(1, z, 1);
  d.fence(1, seq_cst);
  d.read(1, y, kInitial);
  d.read(1, x, a);
  EXPECT_EQ(allowed_by(d), kWeak);
}

// x = 1  ||  y = 1  ||  x == 1; y == 0  ||  y == 1; x == 0
Verdicts independent_reads(Order stores, Order loads, const Step& between = nothing()) {
  Drawing d;
  const EventId a = d.write(0, x, 1, stores);
  const EventId b = d.write(1, y, 1, stores);
  d.read(2, x, a, loads);
  between(d, 2);
  d.read(2, y, kInitial, loads);
  d.read(3, y, b, loads);
  between(d, 3);
  d.read(3, x, kInitial, loads);
  return allowed_by(d);
}

TEST(independent_reads, of_independent_writes_disagree_in_cpp20_unless_all_is_seq_cst) {
  EXPECT_EQ(independent_reads(relaxed, relaxed), kCpp20Alone);
  EXPECT_EQ(independent_reads(release, acquire), kCpp20Alone);
  EXPECT_EQ(independent_reads(release, seq_cst), kCpp20Alone);
  EXPECT_EQ(independent_reads(seq_cst, acquire), kCpp20Alone);
  EXPECT_EQ(independent_reads(seq_cst, seq_cst), kNobody);
}

TEST(independent_reads, agree_when_seq_cst_fences_stand_between_them) {
  EXPECT_EQ(independent_reads(relaxed, relaxed, fenced(seq_cst)), kNobody);
  EXPECT_EQ(independent_reads(release, acquire, fenced(acq_rel)), kCpp20Alone);
}

// x = 1; y = 2  ||  y = 1; x = 2, and the first of each is the last in modification order
Verdicts two_plus_two_writes(Order order, const Step& one, const Step& other) {
  Drawing d;
  d.write(0, x, 1, order);
  one(d, 0);
  d.write(0, y, 2, order);
  d.write(1, y, 1, order);
  other(d, 1);
  d.write_at(1, x, 0, 2, order);
  return allowed_by(d);
}

TEST(two_plus_two_writes, cross_in_cpp20_unless_they_are_seq_cst) {
  EXPECT_EQ(two_plus_two_writes(relaxed, nothing(), nothing()), kCpp20Alone);
  EXPECT_EQ(two_plus_two_writes(release, nothing(), nothing()), kCpp20Alone);
  EXPECT_EQ(two_plus_two_writes(seq_cst, nothing(), nothing()), kNobody);
}

TEST(two_plus_two_writes, do_not_cross_two_seq_cst_fences) {
  EXPECT_EQ(two_plus_two_writes(relaxed, fenced(seq_cst), fenced(seq_cst)), kNobody);
  EXPECT_EQ(two_plus_two_writes(relaxed, fenced(seq_cst), nothing()), kCpp20Alone);
  EXPECT_EQ(two_plus_two_writes(relaxed, nothing(), fenced(seq_cst)), kCpp20Alone);
}

// x = 1  ||  x == 1; y == 0  ||  y = 1; x == 0
Verdicts read_to_write_causality(Order order, const Step& one, const Step& other) {
  Drawing d;
  const Order stores = order == acquire ? release : order;
  const EventId a = d.write(0, x, 1, stores);
  d.read(1, x, a, order);
  one(d, 1);
  d.read(1, y, kInitial, order);
  d.write(2, y, 1, stores);
  other(d, 2);
  d.read(2, x, kInitial, order);
  return allowed_by(d);
}

TEST(read_to_write_causality, takes_a_fence_in_the_writer_on_x86_and_in_the_reader_too_in_cpp20) {
  EXPECT_EQ(read_to_write_causality(relaxed, nothing(), nothing()), kWeak);
  EXPECT_EQ(read_to_write_causality(acquire, nothing(), nothing()), kWeak);
  EXPECT_EQ(read_to_write_causality(seq_cst, nothing(), nothing()), kNobody);
  EXPECT_EQ(read_to_write_causality(relaxed, nothing(), fenced(seq_cst)), kCpp20Alone);
  EXPECT_EQ(read_to_write_causality(acquire, nothing(), fenced(seq_cst)), kCpp20Alone);
  EXPECT_EQ(read_to_write_causality(relaxed, fenced(seq_cst), nothing()), kWeak);
  EXPECT_EQ(read_to_write_causality(relaxed, fenced(seq_cst), fenced(seq_cst)), kNobody);
}

// x = 1; z = 1  ||  z == 1; y == 0  ||  y = 1; x == 0
Verdicts write_and_read_to_write_causality(Order message_write, Order message_read, Order others,
                                           const Step& one, const Step& other) {
  Drawing d;
  d.write(0, x, 1, others);
  const EventId message = d.write(0, z, 1, message_write);
  d.read(1, z, message, message_read);
  one(d, 1);
  d.read(1, y, kInitial, others);
  d.write(2, y, 1, others);
  other(d, 2);
  d.read(2, x, kInitial, others);
  return allowed_by(d);
}

TEST(write_and_read_to_write_causality, goes_through_happens_before) {
  const auto shape = write_and_read_to_write_causality;
  EXPECT_EQ(shape(release, acquire, relaxed, fenced(seq_cst), fenced(seq_cst)), kNobody);
  EXPECT_EQ(shape(relaxed, acquire, relaxed, fenced(seq_cst), fenced(seq_cst)), kCpp20Alone);
  EXPECT_EQ(shape(release, relaxed, relaxed, fenced(seq_cst), fenced(seq_cst)), kNobody)
      << "the fence acquires";
  EXPECT_EQ(shape(release, relaxed, seq_cst, nothing(), nothing()), kCpp20Alone);
  EXPECT_EQ(shape(release, acquire, relaxed, nothing(), fenced(seq_cst)), kCpp20Alone);
  EXPECT_EQ(shape(release, acquire, relaxed, fenced(seq_cst), nothing()), kWeak);
  EXPECT_EQ(shape(release, acquire, seq_cst, nothing(), nothing()), kNobody);
  EXPECT_EQ(shape(relaxed, acquire, seq_cst, nothing(), nothing()), kCpp20Alone);
}

TEST(write_and_read_to_write_causality, does_not_end_in_a_synchronising_seq_cst_access) {
  // Z6.U of the paper on RC11: happens-before that leaves or enters a seq_cst access by
  // synchronisation itself does not order it, as on Power.
  Drawing d;
  d.write(0, x, 1, seq_cst);
  const EventId message = d.write(0, y, 1, release);
  d.update(1, y, message, 2, seq_cst, seq_cst);
  const EventId last = d.write(2, y, 3, seq_cst);
  d.read(1, y, last, relaxed);
  d.read(2, x, kInitial, seq_cst);
  EXPECT_EQ(allowed_by(d), kCpp20Alone);
}

TEST(seq_cst, a_read_is_after_the_seq_cst_write_that_it_reads) {
  // z = 1; x = 1  ||  x = 2  ||  x == 2; z == 0: from a thread's only event to another's first.
  const auto shape = [](Order second) {
    Drawing d;
    d.write(0, z, 1, seq_cst);
    d.write(0, x, 1, seq_cst);
    const EventId b = d.write(1, x, 2, second);
    d.read(2, x, b, seq_cst);
    d.read(2, z, kInitial, seq_cst);
    return allowed_by(d);
  };
  EXPECT_EQ(shape(seq_cst), kNobody);
  EXPECT_EQ(shape(release), kCpp20Alone);
}

TEST(seq_cst, relaxed_accesses_between_do_not_break_the_order_of_their_thread) {
  Drawing d;
  d.write(0, x, 1, seq_cst);
  const EventId w = d.write(0, z, 1);
  d.read(0, y, kInitial, seq_cst);
  d.write(1, y, 1, seq_cst);
  d.read(1, z, w);
  d.read(1, x, kInitial, seq_cst);
  EXPECT_EQ(allowed_by(d), kNobody);
}

TEST(seq_cst, happens_before_that_begins_by_synchronising_does_not_order) {
  // x = 1; x = 2  ||  x == 2; y == 0  ||  y = 1; x = 5, which is before x = 1: after its first
  // event the first thread accesses the same location only.
  Drawing d;
  d.write(0, x, 1, seq_cst);
  const EventId message = d.write(0, x, 2, release);
  d.read(1, x, message, acquire);
  d.read(1, y, kInitial, seq_cst);
  d.write(2, y, 1, seq_cst);
  d.write_at(2, x, 0, 5, seq_cst);
  EXPECT_EQ(allowed_by(d), kCpp20Alone);
}

TEST(seq_cst, a_fence_is_before_the_accesses_after_a_thread_that_it_synchronises_with) {
  // x = 1; F; z = 1  ||  z == 1; y == 0  ||  y = 1; x == 0
  const auto shape = [](Order message_read) {
    Drawing d;
    d.write(0, x, 1);
    d.fence(0, seq_cst);
    const EventId message = d.write(0, z, 1);
    d.read(1, z, message, message_read);
    d.read(1, y, kInitial, seq_cst);
    d.write(2, y, 1, seq_cst);
    d.read(2, x, kInitial, seq_cst);
    return allowed_by(d);
  };
  EXPECT_EQ(shape(acquire), kNobody);
  EXPECT_EQ(shape(relaxed), kCpp20Alone);
}

TEST(seq_cst, an_access_is_before_the_fence_that_synchronises_with_its_thread) {
  // x = 1; z = 1  ||  z == 1; F; y == 0  ||  y = 1; x = 2, which is before x = 1
  const auto shape = [](Order message_write) {
    Drawing d;
    d.write(0, x, 1, seq_cst);
    const EventId message = d.write(0, z, 1, message_write);
    d.read(1, z, message);
    d.fence(1, seq_cst);
    d.read(1, y, kInitial);
    d.write(2, y, 1, seq_cst);
    d.write_at(2, x, 0, 2, seq_cst);
    return allowed_by(d);
  };
  EXPECT_EQ(shape(release), kNobody);
  EXPECT_EQ(shape(relaxed), kCpp20Alone);
}

TEST(seq_cst, a_fence_is_ordered_by_modification_order_alone) {
  // R of the literature: x = 1; F; y = 1  ||  y = 2; F; x == 0, y = 1 before y = 2.
  const auto shape = [](const Step& one, const Step& other) {
    Drawing d;
    d.write(0, x, 1);
    one(d, 0);
    d.write(0, y, 1);
    d.write(1, y, 2);
    other(d, 1);
    d.read(1, x, kInitial);
    return allowed_by(d);
  };
  EXPECT_EQ(shape(fenced(seq_cst), fenced(seq_cst)), kNobody);
  EXPECT_EQ(shape(fenced(seq_cst), nothing()), kWeak);
  EXPECT_EQ(shape(nothing(), fenced(seq_cst)), kCpp20Alone);
}

TEST(x86, ending_and_creating_and_joining_a_thread_empties_its_buffer) {
  // As store buffering, but x = 1 is followed by the end of its thread and the load is after a
  // join.
  const auto joined = [](Order fence_order) {
    Drawing d;
    d.write(1, x, 1);
    d.join(0, d.end(1));
    d.read(0, y, kInitial);
    d.write(2, y, 1);
    d.fence(2, fence_order);
    d.read(2, x, kInitial);
    return allowed_by(d);
  };
  EXPECT_EQ(joined(seq_cst), kCpp20Alone);
  EXPECT_EQ(joined(acq_rel), kWeak);
  // The same with the load in a thread created after the store.
  Drawing d;
  d.write(0, x, 1);
  d.begin(1, d.create(0, 1));
  d.read(1, y, kInitial);
  d.write(2, y, 1);
  d.fence(2, seq_cst);
  d.read(2, x, kInitial);
  EXPECT_EQ(allowed_by(d), kCpp20Alone);
}

TEST(x86, a_choice_empties_no_buffer) {
  EXPECT_EQ(store_buffering(relaxed, relaxed,
                            [](Drawing& d, unsigned thread) {
                              Event e{};
                              e.kind = Kind::choice;
                              e.operand = 2;
                              d.graph.add(thread, e);
                            }),
            kWeak);
}

TEST(x86, allows_nothing_that_cpp20_forbids_but_what_its_instructions_do_not_tell_apart) {
  // seq_cst loads are mere movs: with plain stores they may be late where C++20 orders them too.
  Drawing d;
  d.write(0, x, 1, seq_cst);
  d.read(0, y, kInitial, seq_cst);
  d.write(1, y, 1, release);
  d.fence(1, acq_rel);
  d.read(1, x, kInitial, seq_cst);
  EXPECT_EQ(allowed_by(d), kWeak);
  EXPECT_NE(allowed_by(d), kX86Alone);
}

}  // namespace
}  // namespace fencepost::checker
