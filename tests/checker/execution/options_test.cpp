// SPDX-License-Identifier: MIT
#include "execution/options.hpp"

#include <gtest/gtest.h>

#include <string>

namespace fencepost::checker {
namespace {

TEST(options, nothing_asked_for_is_the_default) {
  Options o;
  EXPECT_EQ(parse_options("", &o), nullptr);
  EXPECT_EQ(o.model, &kRc11);
  EXPECT_FALSE(o.all || o.timeouts || o.spurious || o.weak_cas || o.no_membarrier || o.leaks ||
               o.dump);
  EXPECT_EQ(o.timeout, 0);
  EXPECT_EQ(o.max_executions, 0U);
  EXPECT_EQ(o.max_events, 10000U);
  EXPECT_EQ(o.fd, 1);
}

TEST(options, each_sets_what_it_names_and_nothing_else) {
  const auto parsed = [](const char* text) {
    Options o;
    EXPECT_EQ(parse_options(text, &o), nullptr) << text;
    return o;
  };
  EXPECT_EQ(parsed("model=sc").model, &kSequentialConsistency);
  EXPECT_EQ(parsed("model=x86").model, &kX86);
  EXPECT_EQ(parsed("model=c++20").model, &kRc11);
  EXPECT_TRUE(parsed("all=1").all);
  EXPECT_FALSE(parsed("all=1").leaks);
  EXPECT_FALSE(parsed("all=0").all);
  EXPECT_EQ(parsed("timeout=2.5").timeout, 2.5);
  EXPECT_EQ(parsed("max_executions=12345678901").max_executions, 12345678901U);
  EXPECT_EQ(parsed("max_events=77").max_events, 77U);
  const Options races = parsed("known_races=4a-4b,4011c0-10");
  ASSERT_EQ(races.known_race_count, 2U);
  EXPECT_EQ(races.known_races[0].pc, 0x4aU);
  EXPECT_EQ(races.known_races[0].other_pc, 0x4bU);
  EXPECT_EQ(races.known_races[1].pc, 0x4011c0U);
  EXPECT_EQ(races.known_races[1].other_pc, 0x10U);
  EXPECT_TRUE(parsed("timeouts=1").timeouts);
  EXPECT_EQ(parsed("timeouts=1").timeout, 0) << "one name begins with the other";
  EXPECT_TRUE(parsed("spurious=1").spurious);
  EXPECT_TRUE(parsed("weak_cas=1").weak_cas);
  EXPECT_TRUE(parsed("symmetry=1").symmetry);
  EXPECT_TRUE(parsed("no_membarrier=1").no_membarrier);
  EXPECT_TRUE(parsed("leaks=1").leaks);
  EXPECT_TRUE(parsed("dump=1").dump);
  EXPECT_EQ(parsed("progress=0.25").progress, 0.25);
  EXPECT_EQ(parsed("fd=7").fd, 7);
}

TEST(options, are_separated_by_spaces_and_the_last_word_counts) {
  Options o;
  EXPECT_EQ(parse_options("  fd=3 all=1   model=sc fd=4 ", &o), nullptr);
  EXPECT_EQ(o.fd, 4);
  EXPECT_TRUE(o.all);
  EXPECT_EQ(o.model, &kSequentialConsistency);
}

TEST(options, a_mistake_is_named) {
  for (const char* mistake : {"speed=1", "all", "all=", "=1", "=", "all=yes", "timeout=-1",
                              "timeout=nan", "fd=3x", "model=", "model=c++17", "max_events=0",
                              "max_events=60001", "Fd=1", "known_races=4a", "known_races=4a-4b,"}) {
    Options o;
    const std::string text = std::string("leaks=1 ") + mistake + " dump=1";
    const char* message = parse_options(text.c_str(), &o);
    ASSERT_NE(message, nullptr) << mistake;
    const std::string whole = mistake;
    const std::string name = whole.substr(0, whole.find('='));
    EXPECT_NE(std::string(message).find("not understood: " + name), std::string::npos) << message;
  }
}

TEST(options, the_most_events_that_a_graph_can_hold_are_accepted) {
  Options o;
  EXPECT_EQ(parse_options("max_events=60000", &o), nullptr);
  EXPECT_EQ(o.max_events, kMaxEventsPerThread);
}

TEST(options, a_text_of_any_length_is_answered) {
  Options o;
  std::string word(1000, 'q');
  const char* message = parse_options(word.c_str(), &o);
  ASSERT_NE(message, nullptr);
  EXPECT_LT(std::string(message).size(), 160U);
  EXPECT_NE(parse_options(std::string(5000, ' ').c_str(), &o), nullptr);
  std::string fits = "fd=9";
  fits.resize(4095, ' ');
  EXPECT_EQ(parse_options(fits.c_str(), &o), nullptr);
  EXPECT_EQ(o.fd, 9);
  fits.push_back(' ');
  EXPECT_NE(parse_options(fits.c_str(), &o), nullptr);
}

}  // namespace
}  // namespace fencepost::checker
