// SPDX-License-Identifier: MIT
//
// The axioms on executions written by hand, each relation spelt out.
#include "models/axioms.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace reference {
namespace {

using litmus::order;
using enum event::kind;

constexpr int x = 0;
constexpr int y = 1;

event make(event::kind what, int thread, int location, order o = order::relaxed) {
  event e;
  e.what = what;
  e.thread = thread;
  e.location = location;
  e.order = o;
  return e;
}

event initial(int location) { return make(write, -1, location); }

// Program order is that of the list within a thread; the initial writes are the first in mo.
candidate execution(std::vector<event> events, const std::vector<std::pair<int, int>>& rf,
                    const std::vector<std::pair<int, int>>& mo = {},
                    const std::vector<std::pair<int, int>>& rmw = {}) {
  candidate c(std::move(events));
  const int size = static_cast<int>(c.events.size());
  const auto at = [&c](int a) -> const event& { return c.events[static_cast<std::size_t>(a)]; };
  for (int a = 0; a < size; ++a) {
    for (int b = 0; b < size; ++b) {
      if (a < b && at(a).thread >= 0 && at(a).thread == at(b).thread) c.po.add(a, b);
      if (a != b && at(a).thread < 0 && at(b).what == write && at(a).location == at(b).location) {
        c.mo.add(a, b);
      }
    }
  }
  for (const auto& [a, b] : rf) c.rf.add(a, b);
  for (const auto& [a, b] : mo) c.mo.add(a, b);
  for (const auto& [a, b] : rmw) c.rmw.add(a, b);
  return c;
}

TEST(axioms, store_buffering_is_consistent_unless_each_store_is_ordered_before_the_load) {
  const auto store_buffering = [](order store, order load) {
    return execution({initial(x), initial(y), make(write, 0, x, store), make(read, 0, y, load),
                      make(write, 1, y, store), make(read, 1, x, load)},
                     {{1, 3}, {0, 5}});
  };
  EXPECT_FALSE(consistent(model::sc, store_buffering(order::relaxed, order::relaxed)));
  EXPECT_TRUE(consistent(model::cpp20, store_buffering(order::relaxed, order::relaxed)));
  EXPECT_TRUE(consistent(model::x86, store_buffering(order::relaxed, order::relaxed)));
  EXPECT_TRUE(consistent(model::cpp20, store_buffering(order::release, order::acquire)));
  EXPECT_FALSE(consistent(model::cpp20, store_buffering(order::seq_cst, order::seq_cst)));
  EXPECT_TRUE(consistent(model::cpp20, store_buffering(order::seq_cst, order::acquire)));
  EXPECT_FALSE(consistent(model::x86, store_buffering(order::seq_cst, order::acquire)));
  EXPECT_TRUE(consistent(model::x86, store_buffering(order::release, order::seq_cst)));
}

TEST(axioms, seq_cst_fences_forbid_store_buffering_and_weaker_fences_do_not) {
  const auto store_buffering = [](order fences) {
    return execution(
        {initial(x), initial(y), make(write, 0, x), make(fence, 0, -1, fences), make(read, 0, y),
         make(write, 1, y), make(fence, 1, -1, fences), make(read, 1, x)},
        {{1, 4}, {0, 7}});
  };
  EXPECT_FALSE(consistent(model::cpp20, store_buffering(order::seq_cst)));
  EXPECT_FALSE(consistent(model::x86, store_buffering(order::seq_cst)));
  EXPECT_TRUE(consistent(model::cpp20, store_buffering(order::acq_rel)));
  EXPECT_TRUE(consistent(model::x86, store_buffering(order::acq_rel)));
}

TEST(axioms, load_buffering_is_inconsistent_in_every_model) {
  const candidate c = execution({initial(x), initial(y), make(read, 0, x), make(write, 0, y),
                                 make(read, 1, y), make(write, 1, x)},
                                {{5, 2}, {3, 4}});
  EXPECT_FALSE(consistent(model::sc, c));
  EXPECT_FALSE(consistent(model::cpp20, c));
  EXPECT_FALSE(consistent(model::x86, c));
}

TEST(axioms, a_release_store_synchronizes_with_the_acquire_load_that_reads_it) {
  const auto message = [](order store, order load) {
    return execution({initial(x), initial(y), make(write, 0, x), make(write, 0, y, store),
                      make(read, 1, y, load), make(read, 1, x)},
                     {{3, 4}, {0, 5}});
  };
  EXPECT_TRUE(synchronizes_with(message(order::release, order::acquire)).holds(3, 4));
  EXPECT_TRUE(synchronizes_with(message(order::seq_cst, order::seq_cst)).holds(3, 4));
  EXPECT_TRUE(synchronizes_with(message(order::relaxed, order::acquire)).empty());
  EXPECT_TRUE(synchronizes_with(message(order::release, order::relaxed)).empty());
  EXPECT_FALSE(consistent(model::cpp20, message(order::release, order::acquire)));
  EXPECT_TRUE(consistent(model::cpp20, message(order::relaxed, order::acquire)));
  EXPECT_TRUE(consistent(model::cpp20, message(order::release, order::relaxed)));
  EXPECT_FALSE(consistent(model::x86, message(order::relaxed, order::relaxed)));
}

TEST(axioms, fences_synchronize_through_the_accesses_after_and_before_them) {
  const candidate c = execution({initial(x), make(fence, 0, -1, order::release), make(write, 0, x),
                                 make(read, 1, x), make(fence, 1, -1, order::acquire)},
                                {{2, 3}});
  EXPECT_TRUE(synchronizes_with(c).holds(1, 4));
  EXPECT_FALSE(synchronizes_with(c).holds(1, 3));
  EXPECT_FALSE(synchronizes_with(c).holds(2, 4));
  EXPECT_TRUE(happens_before(c).holds(1, 4));
  EXPECT_TRUE(happens_before(c).holds(0, 1));
  EXPECT_FALSE(happens_before(c).holds(2, 3));
}

TEST(axioms, a_release_sequence_is_continued_by_a_read_modify_write_alone) {
  // Release store, then a relaxed read-modify-write of another thread, read with acquire.
  const candidate by_rmw =
      execution({initial(x), make(write, 0, x, order::release), make(read, 1, x), make(write, 1, x),
                 make(read, 2, x, order::acquire)},
                {{1, 2}, {3, 4}}, {{1, 3}}, {{2, 3}});
  EXPECT_TRUE(synchronizes_with(by_rmw).holds(1, 4));
  // Release store, then a relaxed store of the same thread: synchronized before C++20.
  const candidate by_store = execution({initial(x), make(write, 0, x, order::release),
                                        make(write, 0, x), make(read, 1, x, order::acquire)},
                                       {{2, 3}}, {{1, 2}});
  EXPECT_TRUE(synchronizes_with(by_store).empty());
}

TEST(axioms, nothing_comes_between_the_read_and_the_write_of_a_read_modify_write) {
  const auto between = [](bool in_between) {
    const std::vector<std::pair<int, int>> mo = in_between
                                                    ? std::vector<std::pair<int, int>>{{3, 2}}
                                                    : std::vector<std::pair<int, int>>{{2, 3}};
    return execution({initial(x), make(read, 0, x), make(write, 0, x), make(write, 1, x)}, {{0, 1}},
                     mo, {{1, 2}});
  };
  for (const model m : {model::sc, model::cpp20, model::x86}) {
    EXPECT_TRUE(consistent(m, between(false)));
    EXPECT_FALSE(consistent(m, between(true)));
  }
}

TEST(axioms, coherence_forbids_reading_older_writes_than_happen_before) {
  const candidate own = execution({initial(x), make(write, 0, x), make(read, 0, x)}, {{0, 2}});
  const candidate twice = execution(
      {initial(x), make(write, 0, x), make(read, 1, x), make(read, 1, x)}, {{1, 2}, {0, 3}});
  const candidate backwards =
      execution({initial(x), make(write, 0, x), make(write, 0, x)}, {}, {{2, 1}});
  for (const model m : {model::sc, model::cpp20, model::x86}) {
    EXPECT_FALSE(consistent(m, own));
    EXPECT_FALSE(consistent(m, twice));
    EXPECT_FALSE(consistent(m, backwards));
  }
}

TEST(axioms, a_locked_operation_is_a_full_fence_on_x86_also_when_it_writes_nothing) {
  const auto with_failed_compare_exchange = [](bool locked) {
    std::vector<event> events = {initial(x),       initial(y),        make(write, 0, x),
                                 make(read, 0, y), make(write, 1, y), make(read, 1, x)};
    events[3].locked = locked;
    events[5].locked = locked;
    return execution(events, {{1, 3}, {0, 5}});
  };
  EXPECT_TRUE(consistent(model::x86, with_failed_compare_exchange(false)));
  EXPECT_FALSE(consistent(model::x86, with_failed_compare_exchange(true)));
  EXPECT_TRUE(consistent(model::cpp20, with_failed_compare_exchange(true)));
}

TEST(axioms, a_model_is_found_by_its_name) {
  EXPECT_EQ(model_named("sc"), model::sc);
  EXPECT_EQ(model_named("c++14"), model::cpp14);
  EXPECT_EQ(model_named("c++20"), model::cpp20);
  EXPECT_EQ(model_named("x86"), model::x86);
  EXPECT_FALSE(model_named("c++98").has_value());
}

}  // namespace
}  // namespace reference
