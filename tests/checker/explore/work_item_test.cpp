// SPDX-License-Identifier: MIT
// A search that is taken apart and explored in pieces, in any order, is the same search.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <iterator>
#include <random>
#include <vector>

#include "explore/explorer.hpp"
#include "explore/straight_line.hpp"

namespace fencepost::checker {
namespace {

using enum Step::Does;
using enum Order;
using Program = std::vector<StraightLine>;

constexpr const Model* kModels[] = {&kRc11, &kX86, &kSequentialConsistency};
constexpr Place kNowhere{0, 8, 0};
constexpr Places kPlaces{
    [](LocationId) { return kNowhere; },
    [](const Place&) { return LocationId{0}; },
};

// Every kind of operation, each with a way to wait, to choose and to revisit.
Program random_program(std::mt19937& random) {
  const auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  constexpr Step::Does kOperations[] = {read,  read,   write,         write,
                                        add,   lock,   heavy_fence,   light_fence,
                                        fence, choose, undivided_add, compare_exchange};
  constexpr Order kReads[] = {relaxed, acquire, seq_cst};
  constexpr Order kWrites[] = {relaxed, release, seq_cst};
  Program program(2 + below(2));
  for (StraightLine& thread : program) {
    for (unsigned n = 1 + below(4); n != 0; --n) {
      Step o{.does = kOperations[below(std::size(kOperations))]};
      o.location = below(2);
      o.value = o.does == choose ? 2 : 1 + below(2);
      o.order = o.does == read ? kReads[below(3)] : kWrites[below(3)];
      if (o.does == lock) o.location = 2;
      if (o.does == fence) o.order = seq_cst;
      if (o.does == light_fence) o.order = relaxed;
      thread.push_back(o);
      if (o.does == lock) thread.push_back({.does = unlock, .location = 2, .order = release});
    }
  }
  return program;
}

TEST(work_items, a_search_in_pieces_finds_each_execution_once) {
  std::mt19937 random(4711);
  std::size_t executions = 0;
  for (unsigned n = 0; n < 300; ++n) {
    const Program program = random_program(random);
    for (const Model* model : kModels) {
      const Explored whole = explore(program, *model);
      executions += whole.count();
      for (const unsigned runs : {1U, 3U}) {
        const Explored pieces = explore_in_parcels(program, *model, runs);
        ASSERT_EQ(pieces.executions, whole.executions) << "program " << n << ", " << model->name;
        ASSERT_EQ(pieces.blocked, whole.blocked) << "program " << n << ", " << model->name;
        ASSERT_EQ(pieces.abandoned, whole.abandoned) << "program " << n << ", " << model->name;
        ASSERT_EQ(pieces.revisits, whole.revisits) << "program " << n << ", " << model->name;
      }
    }
  }
  EXPECT_GT(executions, 5000U) << "the programs are too small to mean anything";
}

// A search that has just come to a choice among so many options: all but one are still to be done.
void write_choices(unsigned options, Bytes* item) {
  Explorer explorer;
  explorer.use(&kRc11);
  explorer.start();
  Event begin{};
  begin.kind = Kind::begin;
  begin.from = kInitial;
  explorer.add_event(0, begin);
  Event chosen{};
  chosen.kind = Kind::choice;
  chosen.operand = options;
  explorer.add_choice(0, chosen);
  explorer.write(item, kPlaces, explorer.alternatives());
}

// How many alternatives the first `size` bytes are read as; -1: they are refused.
int alternatives_in(const Bytes& item, std::size_t size) {
  Explorer explorer;
  explorer.use(&kRc11);
  BytesIn in(item.data(), size);
  return explorer.read(&in, kPlaces) ? static_cast<int>(explorer.alternatives()) : -1;
}

TEST(work_items, what_was_cut_short_is_refused) {
  Bytes whole;
  write_choices(3, &whole);
  for (std::size_t size = 1; size < whole.size(); ++size) {
    EXPECT_EQ(alternatives_in(whole, size), -1) << size << " bytes of " << whole.size();
  }
  EXPECT_EQ(alternatives_in(whole, whole.size()), 2);
}

TEST(work_items, an_event_that_is_not_there_is_refused) {
  Bytes item;
  write_choices(2, &item);
  const EventId nowhere = event_id(0, 7);
  std::memcpy(item.data() + item.size() - 3 * sizeof nowhere, &nowhere, sizeof nowhere);
  EXPECT_EQ(alternatives_in(item, item.size()), -1);
}

}  // namespace
}  // namespace fencepost::checker
