// SPDX-License-Identifier: MIT
#include "litmus.hpp"

#include <gtest/gtest.h>

namespace litmus {
namespace {

TEST(litmus, a_program_is_parsed_into_threads_of_instructions) {
  program p;
  ASSERT_EQ(parse("x=y=1; z=-2; T0: W x 1 rlx; F sc; r0=R y acq; T1: r1=U x add r0+2 acq_rel; "
                  "r2=C z 0 1 acq_rel rlx",
                  p),
            nullptr);
  EXPECT_EQ(p.location_count, 3);
  EXPECT_STREQ(p.names[2], "z");
  EXPECT_EQ(p.initial[1], 1);
  EXPECT_EQ(p.initial[2], -2);
  ASSERT_EQ(p.thread_count, 2);
  EXPECT_EQ(p.threads[0].size, 3);
  EXPECT_EQ(p.threads[0].instructions[1].success, order::seq_cst);
  EXPECT_EQ(p.threads[0].instructions[2].what, kind::load);
  EXPECT_EQ(p.threads[0].instructions[2].result, 0);
  ASSERT_EQ(p.threads[1].size, 2);
  EXPECT_EQ(p.threads[1].instructions[0].operand.reg, 0);
  EXPECT_EQ(p.threads[1].instructions[0].operand.constant, 2);
  EXPECT_EQ(p.threads[1].instructions[1].failure, order::relaxed);
}

TEST(litmus, what_is_no_program_is_refused_with_a_reason) {
  program p;
  for (const char* text :
       {"", "x=0;", "x=0; T1: W x 1 rlx", "x=0; T0: W y 1 rlx", "x=0; T0: W x 1 acq",
        "x=0; T0: R x rel", "x=0; T0: R x", "x=0; T0: W x rlx", "x=0; T0: if r0==1 { W x 1 rlx",
        "x=0; T0: W x 1 rlx }", "x=0; T0: r9=R x rlx", "x=0; T0: C x 0 1 rlx rel",
        "a=b=c=d=e=0; T0: W a 1 rlx", "x=0; T0: U x mul 2 rlx", "x=0; T0: W x 1 rlx W x 2 rlx"}) {
    EXPECT_NE(parse(text, p), nullptr) << text;
  }
}

TEST(litmus, a_thread_steps_over_branches_to_its_next_access) {
  program p;
  ASSERT_EQ(parse("x=0; T0: r0=R x rlx; if r0!=1 { W x 5 rlx } else { if r0==1 { F acq } }; "
                  "W x r0+1 rel",
                  p),
            nullptr);
  for (const int read : {0, 1}) {
    thread_state state;
    EXPECT_EQ(next_request(p.threads[0], state).what, kind::load);
    complete(p.threads[0], state, read);
    EXPECT_EQ(next_request(p.threads[0], state).what, read == 1 ? kind::fence : kind::store);
    complete(p.threads[0], state, 0);
    const request last = next_request(p.threads[0], state);
    EXPECT_EQ(last.what, kind::store);
    EXPECT_EQ(last.operand, read + 1);
    complete(p.threads[0], state, 0);
    EXPECT_FALSE(next_request(p.threads[0], state).any);
  }
}

TEST(litmus, read_modify_writes_compute_what_they_write) {
  const auto written = [](kind what, int read) {
    request r;
    r.what = what;
    r.operand = 6;
    r.expected = 3;
    int value = -1;
    return writes(r, read, value) ? value : -1;
  };
  EXPECT_EQ(written(kind::exchange, 3), 6);
  EXPECT_EQ(written(kind::fetch_add, 3), 9);
  EXPECT_EQ(written(kind::fetch_sub, 9), 3);
  EXPECT_EQ(written(kind::fetch_and, 3), 2);
  EXPECT_EQ(written(kind::fetch_or, 3), 7);
  EXPECT_EQ(written(kind::fetch_xor, 3), 5);
  EXPECT_EQ(written(kind::compare_exchange, 3), 6);
  EXPECT_EQ(written(kind::compare_exchange, 4), -1);
  EXPECT_EQ(written(kind::load, 3), -1);
}

TEST(litmus, a_condition_is_a_conjunction_over_registers_and_memory) {
  program p;
  condition c;
  ASSERT_EQ(parse("x=0; T0: r1=R x rlx", p), nullptr);
  ASSERT_EQ(parse_condition("0:r1=2 x=-3", p, c), nullptr);
  thread_state threads[max_threads];
  int memory[max_locations] = {};
  EXPECT_FALSE(satisfied(c, threads, memory));
  threads[0].registers[1] = 2;
  memory[0] = -3;
  EXPECT_TRUE(satisfied(c, threads, memory));
  EXPECT_NE(parse_condition("1:r1=2", p, c), nullptr);
  EXPECT_NE(parse_condition("y=2", p, c), nullptr);
}

}  // namespace
}  // namespace litmus
