// SPDX-License-Identifier: MIT
// How many executions there are of programs for which that is known, each found once.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "explore/explorer.hpp"
#include "explore/straight_line.hpp"

namespace fencepost::checker {
namespace {

using enum Step::Does;
using enum Order;
using Program = std::vector<StraightLine>;

constexpr LocationId x = 0;
constexpr LocationId y = 1;
constexpr const Model* kModels[] = {&kRc11, &kX86, &kSequentialConsistency};
constexpr Turn kTurns[] = {Turn::first, Turn::last, Turn::shortest};

// The number of executions, which must be the same whoever is let go on first.
std::size_t count(const Program& program, const Model& model = kRc11) {
  const Explored first = explore(program, model);
  for (const Turn turn : kTurns) {
    const Explored e = explore(program, model, turn);
    EXPECT_EQ(e.distinct().size(), e.count()) << "an execution was found twice";
    EXPECT_EQ(e.executions, first.executions) << "turn " << static_cast<int>(turn);
  }
  return first.count();
}

std::size_t factorial(std::size_t n) { return n == 0 ? 1 : n * factorial(n - 1); }

TEST(counts, a_program_that_does_nothing_has_one_execution) {
  EXPECT_EQ(count({{}}), 1U);
  EXPECT_EQ(count({{}, {}, {}}), 1U);
}

TEST(counts, one_thread_has_one_execution) {
  for (const Model* m : kModels) {
    EXPECT_EQ(count({{{write, x, 1}, {read, x}, {add, x, 2}, {write, x, 4}, {read, x}}}, *m), 1U);
  }
}

TEST(counts, store_buffering) {
  const Program sb{{{write, x, 1}, {read, y}}, {{write, y, 1}, {read, x}}};
  EXPECT_EQ(count(sb), 4U);
  EXPECT_EQ(count(sb, kX86), 4U);
  EXPECT_EQ(count(sb, kSequentialConsistency), 3U);
  EXPECT_EQ(count(with_order(sb, seq_cst)), 3U);
  EXPECT_EQ(count(with_order(sb, seq_cst), kX86), 3U);
  EXPECT_EQ(count(with_fences(sb)), 3U);
  EXPECT_EQ(count(with_fences(sb), kX86), 3U);
}

TEST(counts, message_passing) {
  const auto mp = [](Order writes, Order reads) {
    return Program{{{write, x, 1}, {.does = write, .location = y, .value = 1, .order = writes}},
                   {{.does = read, .location = y, .order = reads}, {read, x}}};
  };
  EXPECT_EQ(count(mp(relaxed, relaxed)), 4U);
  EXPECT_EQ(count(mp(release, relaxed)), 4U);
  EXPECT_EQ(count(mp(relaxed, acquire)), 4U);
  EXPECT_EQ(count(mp(release, acquire)), 3U);
  EXPECT_EQ(count(mp(relaxed, relaxed), kX86), 3U);
}

TEST(counts, two_reads_of_one_location_agree_on_its_order) {
  const Program reads{{{write, x, 1}, {write, x, 2}}, {{read, x}, {read, x}}};
  for (const Model* m : kModels) EXPECT_EQ(count(reads, *m), 6U);
}

TEST(counts, two_plus_two_writes) {
  const Program writes{{{write, x, 1}, {write, y, 2}}, {{write, y, 1}, {write, x, 2}}};
  EXPECT_EQ(count(writes), 4U);
  EXPECT_EQ(count(writes, kX86), 3U);
  EXPECT_EQ(count(with_order(writes, seq_cst)), 3U);
}

TEST(counts, load_buffering_is_left_out) {
  const Program lb{{{read, x}, {write, y, 1}}, {{read, y}, {write, x, 1}}};
  for (const Model* m : kModels) EXPECT_EQ(count(lb, *m), 3U);
}

TEST(counts, each_of_n_readers_sees_the_write_or_not) {
  for (unsigned n = 0; n <= 7; ++n) {
    for (const bool writer_first : {true, false}) {
      Program p(n, {{read, x}});
      p.insert(writer_first ? p.begin() : p.end(), StraightLine{{write, x, 1}});
      EXPECT_EQ(count(p), std::size_t{1} << n) << n;
    }
  }
}

TEST(counts, n_writers_write_in_any_order) {
  for (unsigned n = 1; n <= 6; ++n) {
    EXPECT_EQ(count(Program(n, {{write, x, 1}})), factorial(n)) << n;
  }
  EXPECT_EQ(count(Program(4, {{write, x, 1}}), kX86), 24U);
  EXPECT_EQ(count(Program(4, {{write, x, 1}}), kSequentialConsistency), 24U);
}

TEST(counts, n_writers_and_a_reader_of_any_of_them) {
  for (unsigned n = 1; n <= 4; ++n) {
    Program p(n, {{write, x, 1}});
    p.push_back({{read, x}});
    EXPECT_EQ(count(p), factorial(n) * (n + 1)) << n;
  }
}

TEST(counts, n_additions_come_in_any_order) {
  for (unsigned n = 1; n <= 6; ++n) {
    EXPECT_EQ(count(Program(n, {{add, x, 1}})), factorial(n)) << n;
  }
  for (const Model* m : kModels) {
    EXPECT_EQ(count(Program(2, {{add, x, 1}, {add, x, 1}}), *m), 6U) << "4 over 2";
    EXPECT_EQ(count(Program(3, {{add, x, 1}, {add, x, 1}}), *m), 90U) << "6! / 2!2!2!";
  }
}

TEST(counts, one_of_n_compare_exchanges_succeeds) {
  for (unsigned n = 1; n <= 5; ++n) {
    // The others read its value; nothing is written thereafter.
    const StraightLine thread{{.does = compare_exchange, .location = x, .value = 1}};
    EXPECT_EQ(count(Program(n, thread)), n) << n;
  }
}

TEST(counts, a_compare_exchange_that_fails_is_a_read) {
  const Step fails{.does = compare_exchange, .location = x, .value = 9, .expected = 5};
  EXPECT_EQ(count({{{write, x, 1}}, {fails}, {fails}}), 4U);
}

TEST(counts, asymmetric_fences_forbid_one_of_four_store_bufferings) {
  const auto sb = [](Step::Does one, Step::Does other) {
    return Program{{{write, x, 1}, {one}, {read, y}}, {{write, y, 1}, {other}, {read, x}}};
  };
  for (const Model* m : {&kRc11, &kX86}) {
    EXPECT_EQ(count(sb(light_fence, heavy_fence), *m), 3U);
    EXPECT_EQ(count(sb(heavy_fence, heavy_fence), *m), 3U);
    EXPECT_EQ(count(sb(light_fence, light_fence), *m), 4U);
  }
}

TEST(counts, an_undivided_addition_reads_one_write_and_stands_behind_it) {
  // Read 0 and stand before or after 5, or read 5.
  for (const Model* m : kModels) {
    EXPECT_EQ(count({{{undivided_add, x, 1}}, {{write, x, 5}}}, *m), 3U);
  }
  // Of two: one reads the other's write, or both read 0 and stand in either order.
  for (const Model* m : kModels) EXPECT_EQ(count(Program(2, {{undivided_add, x, 1}}), *m), 4U);
}

TEST(counts, a_heavy_fence_does_not_come_between_the_halves_of_an_undivided_addition) {
  const auto astride = [](Step::Does does) {
    const Step between{.does = does, .order = seq_cst};
    return Program{{{undivided_add, x, 1}}, {{write, x, 5}, between, {write, x, 6}}};
  };
  for (const Model* m : kModels) {
    // Reads the k-th of 0, 5, 6 and stands behind it or any later one: 3 + 2 + 1.
    EXPECT_EQ(count(astride(fence), *m), 6U);
    // Not from before 5 to behind 6.
    EXPECT_EQ(count(astride(heavy_fence), *m), 5U);
  }
}

TEST(counts, undivided_additions_and_heavy_fences_do_not_depend_on_who_goes_first) {
  const Program many{{{undivided_add, x, 1}, {read, y}, {undivided_add, y, 1}},
                     {{write, y, 5}, {heavy_fence}, {read, x}, {add, x, 8}},
                     {{undivided_add, x, 1}, {light_fence}, {read, y}}};
  const Program ring{{{undivided_add, x, 1}, {undivided_add, y, 1}},
                     {{add, y, 8}, {heavy_fence}, {add, x, 8}},
                     {{write, x, 16}, {heavy_fence}, {undivided_add, y, 16}}};
  for (const Model* m : kModels) {
    EXPECT_GT(count(many, *m), 100U);
    EXPECT_GT(count(ring, *m), 100U);
  }
}

TEST(counts, a_write_does_not_come_between_the_halves_of_a_read_modify_write) {
  // Before it, or after it.
  EXPECT_EQ(count({{{write, x, 5}}, {{add, x, 1}}}), 2U);
  EXPECT_EQ(count({{{write, x, 5}}, {{add, x, 1}}, {{add, x, 1}}}), 6U);
}

TEST(counts, unrelated_threads_multiply) {
  EXPECT_EQ(count({{{write, x, 1}}, {{read, x}}, {{write, y, 1}}, {{read, y}}}), 4U);
  EXPECT_EQ(count({{{add, x, 1}}, {{add, x, 1}}, {{add, y, 1}}, {{add, y, 1}}}), 4U);
}

TEST(counts, n_critical_sections_come_in_any_order) {
  const StraightLine section{
      {.does = lock, .location = x, .value = 1, .order = acquire},
      {.does = add, .location = y, .value = 1},
      {.does = unlock, .location = x, .order = release},
  };
  for (unsigned n = 1; n <= 4; ++n) {
    EXPECT_EQ(count(Program(n, section)), factorial(n)) << n;
  }
}

TEST(counts, who_waits_for_a_lock_that_nobody_gives_back_is_blocked) {
  const StraightLine keeps{{.does = lock, .location = x, .value = 1, .order = acquire}};
  const Explored e = explore({keeps, keeps}, kRc11);
  EXPECT_EQ(e.count(), 0U);
  EXPECT_EQ(e.blocked, 2U) << "either holds it";
}

TEST(counts, a_read_modify_write_does_not_try_what_its_own_past_took) {
  const Program p{{{add, x, 1}, {write, y, 1}}, {{.does = read, .location = y}, {add, x, 1}}};
  EXPECT_EQ(explore(p, kRc11).abandoned, 1U) << "with y unread alone";
}

TEST(counts, choices_multiply) {
  EXPECT_EQ(count({{{choose, 0, 1}}}), 1U);
  EXPECT_EQ(count({{{choose, 0, 5}}}), 5U);
  EXPECT_EQ(count({{{choose, 0, 2}, {choose, 0, 3}}}), 6U);
  EXPECT_EQ(count({{{choose, 0, 3}}, {{choose, 0, 4}}}), 12U);
}

TEST(counts, choices_multiply_with_what_is_read) {
  const Program between{{{read, x}, {choose, 0, 3}, {read, y}},
                        {{write, x, 1}, {choose, 0, 2}, {write, y, 1}}};
  EXPECT_EQ(count(between), 24U);
  EXPECT_EQ(count({{{choose, 0, 2}, {write, x, 1}}, {{choose, 0, 2}, {read, x}}, {{read, x}}}),
            16U);
}

TEST(counts, what_cannot_be_is_not_completed_and_not_counted) {
  // Two additions cannot both stay with the initial value.
  const Explored e = explore(Program(3, {{add, x, 1}}), kRc11);
  EXPECT_EQ(e.count(), 6U);
  EXPECT_GT(e.abandoned, 0U);
  EXPECT_GT(e.revisits, 0U);
  EXPECT_EQ(explore({{{write, x, 1}}, {{write, x, 2}}}, kRc11).revisits, 0U) << "nobody reads";
}

// Three threads, without a program: some events, then what next() makes of them.
class by_hand : public testing::Test {
 protected:
  by_hand() {
    explorer_.use(&kRc11);
    explorer_.start();
    Event begin{};
    begin.kind = Kind::begin;
    begin.from = kInitial;
    for (unsigned t = 0; t < 3; ++t) explorer_.add_event(t, begin);
  }

  static Event event(Kind kind, LocationId location, std::uint64_t value = 0) {
    Event e{};
    e.kind = kind;
    e.location = location;
    e.from = kInitial;
    e.value = value;
    return e;
  }

  EventId add_read(unsigned thread, LocationId location) {
    Event read = event(Kind::read, location);
    return explorer_.add_read(thread, read);
  }
  void add_write(unsigned thread, LocationId location, std::uint64_t value) {
    EventId id{};
    EXPECT_TRUE(explorer_.add_write(thread, event(Kind::write, location, value), &id));
  }

  Explorer explorer_;
};

TEST_F(by_hand, a_forced_read_has_one_source_and_is_never_revisited) {
  explorer_.add_forced_read(0, event(Kind::read, x));
  add_write(1, x, 1);
  EXPECT_FALSE(explorer_.next());
}

TEST_F(by_hand, a_forced_read_of_an_old_value_does_not_keep_others_from_being_revisited) {
  add_write(2, y, 1);
  const EventId r = add_read(0, x);
  explorer_.add_forced_read(1, event(Kind::read, y));
  add_write(2, x, 7);
  ASSERT_TRUE(explorer_.next());
  EXPECT_EQ(explorer_.graph().at(r).value, 7U);
  EXPECT_EQ(explorer_.graph().size(1), 1U) << "what came after the read is taken back";
  EXPECT_FALSE(explorer_.next());
}

TEST_F(by_hand, an_ordinary_read_of_an_old_value_does) {
  add_write(2, y, 1);
  add_read(0, x);
  const EventId old = add_read(1, y);
  ASSERT_TRUE(explorer_.next());
  EXPECT_EQ(explorer_.graph().at(old).from, kInitial);
  add_write(2, x, 7);
  EXPECT_FALSE(explorer_.next()) << "the same comes of the read of the newest";
}

TEST_F(by_hand, nobody_waits_for_a_lock_on_stale_news) {
  add_write(0, x, 1);  // held
  add_write(0, x, 0);  // and given back
  Event lock = event(Kind::read, x);
  lock.flags = kRmw | kCompare | kAwait;
  const EventId r = explorer_.add_read(1, lock);
  EXPECT_EQ(explorer_.graph().at(r).from, event_id(0, 2));
  ASSERT_TRUE(explorer_.next());
  EXPECT_EQ(explorer_.graph().at(r).from, kInitial) << "free as well: it may have come first";
  EXPECT_FALSE(explorer_.next()) << "who reads that it was held learns that it no longer is";
}

TEST(counts, an_explorer_can_be_used_again) {
  Explorer explorer;
  explorer.use(&kRc11);
  for (int round = 0; round < 2; ++round) {
    explorer.start();
    EXPECT_EQ(explorer.graph().event_count(), 0U);
    Event e{};
    e.kind = Kind::begin;
    e.from = kInitial;
    explorer.add_event(0, e);
    e.kind = Kind::choice;
    e.operand = 3;
    explorer.add_choice(0, e);
    EXPECT_TRUE(explorer.next());
    EXPECT_EQ(explorer.graph().at(0, 1).value, 2U);
    EXPECT_TRUE(explorer.next());
    EXPECT_EQ(explorer.graph().at(0, 1).value, 1U);
    EXPECT_FALSE(explorer.next());
  }
}

}  // namespace
// The pseudo-random sequence is fixed, so these never change; the bounds are about four standard
// errors.
TEST(counts, probes_estimate_them_and_leave_the_search_alone) {
  std::size_t found = 0;
  const Program readers = {{{write, x, 1}}, {{read, x}}, {{read, x}}, {{read, x}}};
  EXPECT_NEAR(estimate(readers, kRc11, 4000, &found), 8, 1);
  EXPECT_EQ(found, 8U);
  const Program writers(4, {{write, x, 1}});
  EXPECT_NEAR(estimate(writers, kRc11, 4000, &found), 24, 3);
  EXPECT_EQ(found, 24U);
  const Program buffering = {{{write, x, 1}, {read, y}}, {{write, y, 1}, {read, x}}};
  EXPECT_NEAR(estimate(buffering, kSequentialConsistency, 4000, &found), 3, 0.4);
  EXPECT_EQ(found, 3U);
  const Program additions(4, {{add, x, 1}});
  EXPECT_NEAR(estimate(additions, kRc11, 20000, &found), 24, 4);
  EXPECT_EQ(found, 24U);
}

}  // namespace fencepost::checker
