// SPDX-License-Identifier: MIT
//
// Counts that can be worked out on paper.
#include "models/enumerate.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <tuple>

#include "litmus.hpp"
#include "models/axioms.hpp"

namespace reference {
namespace {

struct counts {
  int sc = 0;
  int cpp20 = 0;
  int x86 = 0;
  int candidates = 0;

  friend bool operator==(const counts&, const counts&) = default;
  friend void PrintTo(const counts& c, std::ostream* out) {
    *out << "sc " << c.sc << ", c++20 " << c.cpp20 << ", x86 " << c.x86 << " of " << c.candidates;
  }
};

counts count(const char* text) {
  litmus::program p;
  const char* error = litmus::parse(text, p);
  EXPECT_EQ(error, nullptr) << error;
  counts result;
  std::set<std::string> texts;
  for_each_candidate(p, 1000000, [&](const candidate& c, const final_state&) {
    ++result.candidates;
    result.sc += consistent(model::sc, c) ? 1 : 0;
    result.cpp20 += consistent(model::cpp20, c) ? 1 : 0;
    result.x86 += consistent(model::x86, c) ? 1 : 0;
    texts.insert(text_of(c, p));
  });
  EXPECT_EQ(texts.size(), static_cast<std::size_t>(result.candidates)) << "a candidate twice";
  return result;
}

TEST(enumerate, store_buffering_has_four_executions_of_which_one_is_not_sequentially_consistent) {
  EXPECT_EQ(count("x=y=0; T0: W x 1 rlx; r0=R y rlx; T1: W y 1 rlx; r0=R x rlx"),
            (counts{3, 4, 4, 4}));
  EXPECT_EQ(count("x=y=0; T0: W x 1 sc; r0=R y sc; T1: W y 1 sc; r0=R x sc"), (counts{3, 3, 3, 4}));
}

TEST(enumerate, independent_reads_of_independent_writes_have_sixteen) {
  EXPECT_EQ(count("x=y=0; T0: W x 1 rlx; T1: W y 1 rlx; T2: r0=R x rlx; r1=R y rlx; "
                  "T3: r0=R y rlx; r1=R x rlx"),
            (counts{15, 16, 15, 16}));
}

TEST(enumerate, message_passing_loses_one_execution_to_synchronization) {
  EXPECT_EQ(count("x=y=0; T0: W x 1 rlx; W y 1 rlx; T1: r0=R y rlx; r1=R x rlx"),
            (counts{3, 4, 3, 4}));
  EXPECT_EQ(count("x=y=0; T0: W x 1 rlx; W y 1 rel; T1: r0=R y acq; r1=R x rlx"),
            (counts{3, 3, 3, 4}));
}

TEST(enumerate, n_stores_to_one_location_have_n_factorial_orders) {
  EXPECT_EQ(count("x=0; T0: W x 1 rlx; T1: W x 2 rlx; T2: W x 3 rlx; T3: W x 4 rlx"),
            (counts{24, 24, 24, 24}));
  EXPECT_EQ(count("x=0; T0: W x 1 rlx; W x 2 rlx; T1: W x 3 rlx"), (counts{3, 3, 3, 6}));
}

TEST(enumerate, n_read_modify_writes_have_n_factorial_orders) {
  const counts two = count("x=0; T0: U x add 1 rlx; T1: U x add 1 rlx");
  EXPECT_EQ(std::tie(two.sc, two.cpp20, two.x86), std::make_tuple(2, 2, 2));
  const counts three = count("x=0; T0: U x add 1 rlx; T1: X x 7 rlx; T2: U x xor 1 rlx");
  EXPECT_EQ(std::tie(three.sc, three.cpp20, three.x86), std::make_tuple(6, 6, 6));
}

TEST(enumerate, a_compare_exchange_that_fails_writes_nothing) {
  const counts c = count("x=0; T0: C x 0 1 rlx rlx; T1: C x 0 2 rlx rlx");
  EXPECT_EQ(std::tie(c.sc, c.cpp20, c.x86), std::make_tuple(2, 2, 2));
}

TEST(enumerate, a_branch_is_taken_with_the_values_that_are_read) {
  EXPECT_EQ(count("x=y=0; T0: W x 1 rlx; T1: r0=R x rlx; if r0==1 { W y 1 rlx } else { F sc }; "
                  "T2: r0=R y rlx"),
            (counts{3, 3, 3, 3}));
}

TEST(enumerate, it_stops_when_there_are_more_candidates_than_the_limit) {
  litmus::program p;
  ASSERT_EQ(litmus::parse("x=0; T0: W x 1 rlx; T1: W x 2 rlx; T2: W x 3 rlx", p), nullptr);
  const auto ignore = [](const candidate&, const final_state&) {};
  EXPECT_EQ(for_each_candidate(p, 5, ignore), -1);
  EXPECT_EQ(for_each_candidate(p, 100, ignore), 6);
}

TEST(enumerate, the_text_names_values_sources_and_orders) {
  litmus::program p;
  ASSERT_EQ(litmus::parse("x=7; y=0; T0: W y 3 rlx; F sc; r0=U x add 1 rlx; T1: R y acq", p),
            nullptr);
  std::set<std::string> texts;
  for_each_candidate(p, 100,
                     [&](const candidate& c, const final_state&) { texts.insert(text_of(c, p)); });
  EXPECT_EQ(texts, (std::set<std::string>{"0: Wy=3 Rx=7<init Wx=8|1: Ry=0<init|x:0.2|y:0.0",
                                          "0: Wy=3 Rx=7<init Wx=8|1: Ry=3<0.0|x:0.2|y:0.0"}));
}

}  // namespace
}  // namespace reference
