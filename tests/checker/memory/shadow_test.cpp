// SPDX-License-Identifier: MIT
#include "memory/shadow.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <vector>

#include "memory/regions.hpp"

namespace fencepost::checker {
namespace {

constexpr unsigned kThreads = 8;
using Times = std::array<std::uint16_t, kThreads>;

alignas(8) std::array<unsigned char, 1024> memory;

// The shadow asks for a clock only where it needs one.
auto known_by(Graph::Clock clock) {
  return [clock] { return clock; };
}

class shadow : public testing::Test {
 protected:
  static void SetUpTestSuite() {  // reserves much address space, and never gives it back
    shadow_ = new Shadow;
    shadow_->initialise(address(0), address(0) + memory.size());
  }
  static void TearDownTestSuite() { delete shadow_; }

  void SetUp() override {
    shadow_->new_execution(false);
    for (unsigned t = 0; t < kThreads; ++t) clock_[t][t] = 1;
  }

  static std::uintptr_t address(std::size_t byte) {
    return reinterpret_cast<std::uintptr_t>(memory.data()) + byte;
  }
  static Cell* cell(std::size_t byte = 0) {
    bool fresh;
    return shadow_->cell(address(byte), &fresh);
  }

  PlainAccess access(unsigned thread, unsigned mask, bool write) {
    return PlainAccess::of(clock_[thread][thread], thread, static_cast<std::uint8_t>(mask), write,
                           ++pc_);
  }
  // The pc of the access that this one races with, 0 if there is none.
  std::uint64_t read(unsigned thread, unsigned mask = 0xff) {
    return told(
        shadow_->record(cell(), access(thread, mask, false), known_by(clock_[thread].data())));
  }
  std::uint64_t write(unsigned thread, unsigned mask = 0xff) {
    return told(
        shadow_->record(cell(), access(thread, mask, true), known_by(clock_[thread].data())));
  }
  std::uint64_t free(unsigned thread) {
    const auto end = PlainAccess::end(clock_[thread][thread], thread, 0xff, ++pc_);
    return told(shadow_->record(cell(), end, known_by(clock_[thread].data())));
  }
  std::uint64_t atomic(unsigned thread, unsigned mask, bool write) {
    return told(shadow_->conflict(cell(), access(thread, mask, write), clock_[thread].data()));
  }
  std::uint64_t last() const { return pc_; }

  // What `from` did up to now happens before what `to` does from now on.
  void synchronise(unsigned from, unsigned to) {
    ++clock_[from][from];  // the release
    for (unsigned t = 0; t < kThreads; ++t) {
      clock_[to][t] = std::max(clock_[to][t], clock_[from][t]);
    }
    ++clock_[to][to];  // the acquire
  }

  static std::uint64_t told(const PlainAccess* other) { return other == nullptr ? 0 : other->pc; }

  static Shadow* shadow_;
  std::array<Times, kThreads> clock_{};
  std::uint64_t pc_ = 0;
};

Shadow* shadow::shadow_;

TEST_F(shadow, unordered_accesses_race_when_one_of_them_writes) {
  write(0);
  const std::uint64_t first = last();
  EXPECT_EQ(write(1), first);
  EXPECT_EQ(read(1), first) << "an access that races is not recorded";
  shadow_->new_execution(false);
  read(0);
  EXPECT_EQ(read(1), 0U);
  EXPECT_NE(write(2), 0U);
}

TEST_F(shadow, ordered_accesses_do_not_race) {
  write(0);
  EXPECT_EQ(read(0), 0U);
  EXPECT_EQ(write(0), 0U);
  synchronise(0, 1);
  EXPECT_EQ(read(1), 0U);
  EXPECT_EQ(write(1), 0U);
  synchronise(1, 2);
  EXPECT_EQ(write(2), 0U);
  EXPECT_NE(read(0), 0U) << "not the other way round";
}

TEST_F(shadow, what_a_thread_does_after_it_synchronised_is_not_ordered) {
  synchronise(0, 1);
  write(0);
  const std::uint64_t late = last();
  EXPECT_EQ(write(1), late);
}

TEST_F(shadow, races_are_found_to_the_byte) {
  for (unsigned one = 0; one < 8; ++one) {
    for (unsigned other = 0; other < 8; ++other) {
      shadow_->new_execution(false);
      write(0, 1U << one);
      EXPECT_EQ(write(1, 1U << other) != 0, one == other);
    }
  }
  shadow_->new_execution(false);
  write(0, 0x0f);
  const std::uint64_t low = last();
  EXPECT_EQ(write(1, 0xf0), 0U);
  const std::uint64_t high = last();
  EXPECT_EQ(read(2, 0x08), low);
  EXPECT_EQ(read(2, 0x30), high);
  EXPECT_NE(read(2, 0x18), 0U);
}

TEST_F(shadow, cells_are_eight_bytes_of_the_program_data_or_of_its_region) {
  bool fresh;
  EXPECT_EQ(cell(0), cell(7));
  EXPECT_NE(cell(7), cell(8));
  EXPECT_NE(cell(memory.size() - 1), nullptr);
  EXPECT_EQ(shadow_->cell(address(memory.size()), &fresh), nullptr);
  EXPECT_EQ(shadow_->cell(address(0) - 1, &fresh), nullptr);
  EXPECT_NE(shadow_->cell(regions::kBase, &fresh), nullptr);
  EXPECT_NE(shadow_->cell(regions::kEnd - 1, &fresh), nullptr);
  EXPECT_EQ(shadow_->cell(regions::kEnd, &fresh), nullptr);
  EXPECT_EQ(shadow_->cell(regions::kBase - 1, &fresh), nullptr);
}

TEST_F(shadow, a_cell_is_fresh_once_an_execution) {
  bool fresh;
  shadow_->cell(address(64), &fresh);
  EXPECT_TRUE(fresh);
  shadow_->cell(address(71), &fresh);
  EXPECT_FALSE(fresh);
  shadow_->new_execution(false);
  shadow_->cell(address(64), &fresh);
  EXPECT_TRUE(fresh);
}

TEST_F(shadow, a_new_execution_forgets_accesses_and_keeps_what_objects_are_where) {
  for (unsigned t = 0; t < 6; ++t) read(t);
  cell()->location[3] = 17;
  shadow_->new_execution(false);
  EXPECT_EQ(write(7), 0U);
  EXPECT_EQ(cell()->location[3], 17);
  cell()->location[3] = 0;
}

TEST_F(shadow, a_later_read_does_not_hide_a_write) {
  write(0);
  const std::uint64_t first = last();
  read(0);
  EXPECT_EQ(read(1), first) << "the same thread";
  synchronise(0, 2);
  EXPECT_EQ(read(2), 0U);
  EXPECT_EQ(read(1), first) << "another thread";
}

TEST_F(shadow, a_later_access_hides_an_earlier_one_only_in_its_own_bytes) {
  write(0, 0xff);
  const std::uint64_t first = last();
  write(0, 0x01);
  synchronise(0, 1);
  EXPECT_EQ(write(1, 0x01), 0U);
  EXPECT_EQ(read(2, 0x10), first);
}

TEST_F(shadow, an_earlier_unordered_access_is_not_hidden_by_a_later_one) {
  read(0);
  const std::uint64_t first = last();
  EXPECT_EQ(read(1), 0U);
  synchronise(1, 2);
  EXPECT_EQ(write(2), first);
}

TEST_F(shadow, more_readers_than_a_cell_holds_are_remembered_all) {
  for (unsigned unordered = 0; unordered < 7; ++unordered) {
    shadow_->new_execution(false);
    std::uint64_t expected = 0;
    for (unsigned t = 0; t < 7; ++t) {
      EXPECT_EQ(read(t), 0U);
      if (t == unordered) expected = last();
    }
    for (Times& c : clock_) c.fill(1);
    for (unsigned t = 0; t < kThreads; ++t) clock_[t][t] = 5;
    for (unsigned t = 0; t < 7; ++t) {
      if (t != unordered) clock_[7][t] = 100;
    }
    clock_[7][unordered] = 0;
    EXPECT_EQ(write(7), expected) << unordered;
    clock_[7][unordered] = 100;
    EXPECT_EQ(write(7), 0U);
  }
}

TEST_F(shadow, what_one_cell_could_not_hold_is_not_held_against_another) {
  for (unsigned t = 0; t < 6; ++t) {
    EXPECT_EQ(shadow_->record(cell(8), access(t, 0xff, false), known_by(clock_[t].data())),
              nullptr);
    synchronise(t, 7);
  }
  for (unsigned t = 0; t < 6; ++t) EXPECT_EQ(read(t), 0U);
  EXPECT_EQ(shadow_->record(cell(8), access(7, 0xff, true), known_by(clock_[7].data())), nullptr);
  EXPECT_NE(write(7), 0U);
}

TEST_F(shadow, readers_that_are_kept_apart_race_with_who_writes_later) {
  const auto reads = [&](unsigned thread) {
    return shadow_->record_reader(cell(), access(thread, 0x0f, false), clock_[thread].data());
  };
  for (unsigned t = 0; t < 6; ++t) EXPECT_TRUE(reads(t));
  for (unsigned t = 0; t < 5; ++t) synchronise(t, 7);
  EXPECT_EQ(write(7, 0xf0), 0U) << "other bytes";
  EXPECT_NE(write(7, 0x01), 0U) << "thread 5 is not ordered";
  synchronise(5, 7);
  EXPECT_EQ(write(7, 0x0f), 0U);
  EXPECT_FALSE(reads(5)) << "thread 7 has written since";
  EXPECT_NE(read(5, 0x0f), 0U);
  synchronise(7, 5);
  EXPECT_TRUE(reads(5));
  EXPECT_NE(free(0), 0U);
  shadow_->new_execution(false);
  EXPECT_EQ(write(0), 0U) << "they have not read in this execution";
}

TEST_F(shadow, whatever_follows_a_free_is_told_of_it) {
  free(0);
  const PlainAccess* other = shadow_->conflict(cell(), access(1, 0x80, false), clock_[1].data());
  ASSERT_NE(other, nullptr);
  EXPECT_TRUE(other->free());
  EXPECT_EQ(other->thread(), 0);
  synchronise(0, 2);
  EXPECT_NE(write(2), 0U) << "no order makes freed memory fit for use";
  EXPECT_NE(read(0), 0U) << "nor is it fit for the thread that freed it";
  EXPECT_NE(write(0), 0U);
  other = shadow_->conflict(cell(), access(1, 0x80, false), clock_[1].data());
  ASSERT_NE(other, nullptr);
  EXPECT_TRUE(other->free()) << "no later access hides it";
}

TEST_F(shadow, freeing_what_another_thread_uses_is_a_race) {
  read(1, 0x04);
  const std::uint64_t use = last();
  EXPECT_EQ(free(0), use);
  synchronise(1, 0);
  EXPECT_EQ(free(0), 0U);
}

TEST_F(shadow, atomic_accesses_race_with_plain_ones_and_leave_no_trace) {
  write(0, 0x0f);
  const std::uint64_t first = last();
  EXPECT_EQ(atomic(1, 0x0f, false), first);
  EXPECT_EQ(atomic(1, 0xf0, true), 0U);
  EXPECT_EQ(atomic(0, 0x0f, true), 0U);
  EXPECT_EQ(write(2, 0xf0), 0U) << "the atomic write is not in the cell";
  synchronise(0, 3);
  EXPECT_EQ(atomic(3, 0x0f, true), 0U);
  shadow_->new_execution(false);
  read(0, 0x01);
  EXPECT_EQ(atomic(1, 0x01, false), 0U);
  EXPECT_NE(atomic(1, 0x01, true), 0U);
}

TEST_F(shadow, agrees_with_comparing_each_pair_of_accesses) {
  std::mt19937 random(3);
  unsigned races = 0;
  for (int round = 0; round < 4000; ++round) {
    shadow_->new_execution(false);
    clock_ = {};
    for (unsigned t = 0; t < kThreads; ++t) clock_[t][t] = 1;
    std::vector<PlainAccess> all;
    const unsigned threads = 2 + static_cast<unsigned>(random() % (kThreads - 1));
    const unsigned writes = 1 + static_cast<unsigned>(random() % 12);
    for (int step = 0; step < 60; ++step) {
      const auto thread = static_cast<unsigned>(random() % threads);
      if (random() % 3 != 0) {
        synchronise(thread, static_cast<unsigned>(random() % threads));
        continue;
      }
      const unsigned width = 1U << random() % 4;
      const auto offset = static_cast<unsigned>(random() % 8) & ~(width - 1);
      const PlainAccess now = access(thread, ((1U << width) - 1) << offset, random() % writes == 0);
      const bool expected = std::any_of(all.begin(), all.end(), [&](const PlainAccess& earlier) {
        return (earlier.mask() & now.mask()) != 0 && (earlier.write() || now.write()) &&
               earlier.thread() != thread && clock_[thread][earlier.thread()] <= earlier.index();
      });
      const Times& clock = clock_[thread];
      const bool apart =
          !now.write() && random() % 2 == 0 && shadow_->record_reader(cell(), now, clock.data());
      const PlainAccess* told =
          apart ? nullptr : shadow_->record(cell(), now, known_by(clock.data()));
      ASSERT_EQ(told != nullptr, expected) << "round " << round << ", step " << step;
      if (expected) {
        ++races;
        break;
      }
      all.push_back(now);
    }
  }
  EXPECT_GT(races, 500U);
  EXPECT_LT(races, 3900U);
}

}  // namespace
TEST_F(shadow, what_was_known_of_a_prefix_is_known_in_each_execution_that_resumes) {
  cell()->unwritten = 0x0f;
  EXPECT_FALSE(write(0, 0x10));
  shadow_->keep_prefix();
  for (int execution = 0; execution < 3; ++execution) {
    bool fresh = true;
    Cell* const again = shadow_->cell(address(0), &fresh);
    EXPECT_FALSE(fresh);
    EXPECT_EQ(again->unwritten, 0x0f);
    EXPECT_EQ(again->count, 1);
    again->unwritten = 0;
    EXPECT_FALSE(write(0));
    EXPECT_TRUE(shadow_->is_fresh(shadow_->find(address(64))));
    shadow_->new_execution(true);
  }
  shadow_->forget_prefix();
}

TEST_F(shadow, nothing_is_known_of_a_prefix_in_an_execution_that_begins_before_it) {
  cell()->unwritten = 0x0f;
  shadow_->keep_prefix();
  shadow_->new_execution(false);
  bool fresh = false;
  EXPECT_EQ(shadow_->cell(address(0), &fresh)->unwritten, 0);
  EXPECT_TRUE(fresh);
  shadow_->new_execution(true);
  EXPECT_EQ(shadow_->cell(address(0), &fresh)->unwritten, 0x0f);
  EXPECT_FALSE(fresh);
  shadow_->forget_prefix();
  shadow_->new_execution(false);
  EXPECT_TRUE(shadow_->is_fresh(shadow_->find(address(0))));
}

}  // namespace fencepost::checker
