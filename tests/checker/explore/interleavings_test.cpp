// SPDX-License-Identifier: MIT
// Exploration against the plainest account of concurrency there is: threads take turns, in every
// way. It is what sequential consistency means, and what the other models must come to when every
// access is seq_cst, or every two are parted by a seq_cst fence.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "explore/straight_line.hpp"

namespace fencepost::checker {
namespace {

using Program = std::vector<StraightLine>;
using Does = Step::Does;

Program any_program(unsigned seed) {
  std::mt19937 random(seed);
  const auto up_to = [&random](unsigned n) { return static_cast<unsigned>(random() % n); };
  constexpr Does kinds[] = {Does::read,  Does::read,  Does::read, Does::write,
                            Does::write, Does::write, Does::add,  Does::compare_exchange};
  constexpr Order orders[] = {Order::relaxed, Order::acquire, Order::release, Order::acq_rel};
  Program program(2 + up_to(2));
  const unsigned locations = seed % 5 == 0 ? 1 : 2 + up_to(2);
  const unsigned most = program.size() == 2 ? 4 : 2;
  for (StraightLine& thread : program) {
    for (unsigned n = most - up_to(2); n > 0; --n) {
      Step o{.does = kinds[up_to(8)], .location = up_to(locations), .value = 1 + up_to(2)};
      o.expected = up_to(2);
      o.order = orders[up_to(4)];
      thread.push_back(o);
    }
  }
  return program;
}

constexpr unsigned kPrograms = 400;

// Shapes that chance hardly finds.
std::vector<Program> known_programs() {
  using enum Step::Does;
  constexpr LocationId x = 0;
  constexpr LocationId y = 1;
  const StraightLine one{{write, x, 1}, {read, y}};
  const StraightLine other{{write, y, 1}, {read, x}};
  return {
      {one, other, {{add, x, 5}}},
      {one, other, {{add, x, 5}, {add, y, 5}}},
      {one, other, {{write, x, 2}}},
      {{{add, x, 1}, {read, y}}, {{add, y, 1}, {read, x}}, {{add, x, 5}}},
      {{{write, x, 1}, {write, y, 2}}, {{write, y, 1}, {write, x, 2}}, {{add, x, 5}}},
      {{{write, x, 1}}, {{write, y, 1}}, {{read, x}, {read, y}}, {{read, y}, {read, x}}},
      {{{write, x, 1}}, {{read, x}, {read, y}}, other, {{add, x, 5}}},
  };
}

// The executions, having made sure that none was found twice.
std::set<std::string> executions(const Program& program, const Model& model,
                                 Turn turn = Turn::first) {
  const Explored e = explore(program, model, turn);
  EXPECT_EQ(e.distinct().size(), e.count()) << "found twice under " << model.name;
  EXPECT_EQ(e.blocked, 0U);
  return e.distinct();
}

bool contains(const std::set<std::string>& all, const std::set<std::string>& some) {
  return std::includes(all.begin(), all.end(), some.begin(), some.end());
}

TEST(interleavings, are_what_is_found_under_sequential_consistency) {
  for (unsigned seed = 0; seed < kPrograms; ++seed) {
    const Program p = any_program(seed);
    const std::set<std::string> expected = interleavings(p);
    for (const Turn turn : {Turn::first, Turn::last, Turn::shortest}) {
      EXPECT_EQ(executions(p, kSequentialConsistency, turn), expected) << "program " << seed;
    }
  }
}

TEST(interleavings, are_what_is_found_of_the_known_shapes) {
  for (const Program& p : known_programs()) {
    const std::set<std::string> expected = interleavings(p);
    for (const Turn turn : {Turn::first, Turn::last, Turn::shortest}) {
      EXPECT_EQ(executions(p, kSequentialConsistency, turn), expected);
      EXPECT_EQ(executions(with_order(p, Order::seq_cst), kRc11, turn), expected);
      EXPECT_EQ(executions(with_order(p, Order::seq_cst), kX86, turn), expected);
      EXPECT_EQ(executions(with_fences(p), kRc11, turn), expected);
      EXPECT_EQ(executions(with_fences(p), kX86, turn), expected);
    }
  }
}

TEST(interleavings, are_what_is_found_when_every_access_is_seq_cst) {
  for (unsigned seed = 0; seed < kPrograms; ++seed) {
    const Program p = with_order(any_program(seed), Order::seq_cst);
    const std::set<std::string> expected = interleavings(p);
    EXPECT_EQ(executions(p, kRc11), expected) << "program " << seed;
    EXPECT_EQ(executions(p, kX86), expected) << "program " << seed;
  }
}

TEST(interleavings, are_what_is_found_when_seq_cst_fences_part_all_accesses) {
  for (unsigned seed = 0; seed < kPrograms; ++seed) {
    const Program p = with_fences(with_order(any_program(seed), Order::relaxed));
    const std::set<std::string> expected = interleavings(p);
    EXPECT_EQ(executions(p, kRc11), expected) << "program " << seed;
    EXPECT_EQ(executions(p, kX86), expected) << "program " << seed;
  }
}

TEST(interleavings, are_possible_under_x86_and_what_is_possible_there_is_so_in_cpp20) {
  unsigned more_on_x86 = 0;
  unsigned more_in_cpp20 = 0;
  for (unsigned seed = 0; seed < kPrograms; ++seed) {
    const Program p = any_program(seed);
    const std::set<std::string> sc = interleavings(p);
    const std::set<std::string> x86 = executions(p, kX86);
    const std::set<std::string> cpp20 = executions(p, kRc11);
    EXPECT_TRUE(contains(x86, sc)) << "program " << seed;
    EXPECT_TRUE(contains(cpp20, x86)) << "program " << seed;
    if (x86.size() > sc.size()) ++more_on_x86;
    if (cpp20.size() > x86.size()) ++more_in_cpp20;
  }
  EXPECT_GT(more_on_x86, 15U);
  EXPECT_GT(more_in_cpp20, 15U);
}

TEST(interleavings, whoever_goes_on_first_finds_the_same_in_every_model) {
  for (unsigned seed = 0; seed < kPrograms; ++seed) {
    const Program p = any_program(seed);
    for (const Model* m : {&kRc11, &kX86}) {
      const std::set<std::string> first = executions(p, *m);
      EXPECT_EQ(executions(p, *m, Turn::last), first) << "program " << seed;
      EXPECT_EQ(executions(p, *m, Turn::shortest), first) << "program " << seed;
    }
  }
}

}  // namespace
}  // namespace fencepost::checker
