// SPDX-License-Identifier: MIT
//
// The reader of the interrupt clock, on clocks that are made up here: what it refuses to believe,
// and when it takes a processor for passed. A real clock is for tests/barrierd.
#include "fencepost/interrupt_clock.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

using fencepost::interrupt_clock;
using fencepost::interrupt_clock_trouble;
namespace processors = fencepost::processors;

constexpr std::uint64_t slack = interrupt_clock::slack;
constexpr std::uint64_t hour = 3'600'000'000'000;

/// A clock of this boot, with no stamp yet.
class clock_in_memory {
 public:
  explicit clock_in_memory(std::uint32_t slots) : lines_(fencepost_clock_first_slot + slots) {
    std::memset(lines_.data(), 0, size());
    header().magic = fencepost_clock_magic;
    header().version = fencepost_clock_version;
    header().line = fencepost_clock_line_size;
    header().first_slot = fencepost_clock_first_slot;
    header().slots = slots;
    header().clock = fencepost_clock_monotonic;
    header().generation = 1;
    EXPECT_TRUE(fencepost::detail::read_boot_id(header().boot_id));
  }

  fencepost_clock_header& header() { return lines_[0].header; }
  fencepost_clock_state& state() { return lines_[1].state; }
  fencepost_clock_slot& slot(std::uint32_t cpu) {
    return lines_[fencepost_clock_first_slot + cpu].slot;
  }
  std::size_t size() const { return lines_.size() * sizeof lines_[0]; }

  interrupt_clock_trouble trouble() {
    interrupt_clock_trouble found{};
    const bool opened = interrupt_clock::at(lines_.data(), size(), found) != nullptr;
    EXPECT_EQ(opened, found == interrupt_clock_trouble::none);
    return found;
  }

  const interrupt_clock& get() {
    interrupt_clock_trouble found{};
    const auto* clock = interrupt_clock::at(lines_.data(), size(), found);
    EXPECT_NE(clock, nullptr) << to_string(found);
    return *clock;
  }

 private:
  std::vector<fencepost_clock_line> lines_;
};

TEST(interrupt_clock, takes_a_clock_of_this_boot) {
  clock_in_memory clock(3);
  EXPECT_EQ(clock.trouble(), interrupt_clock_trouble::none);
  EXPECT_EQ(clock.get().slots_count(), 3U);
}

TEST(interrupt_clock, refuses_what_has_another_magic) {
  clock_in_memory clock(2);
  clock.header().magic ^= 1;
  EXPECT_EQ(clock.trouble(), interrupt_clock_trouble::foreign);
}

TEST(interrupt_clock, refuses_another_version) {
  clock_in_memory clock(2);
  clock.header().version += 1;
  EXPECT_EQ(clock.trouble(), interrupt_clock_trouble::other_version);
}

TEST(interrupt_clock, refuses_another_boot) {
  clock_in_memory clock(2);
  clock.header().boot_id[15] ^= 1;
  EXPECT_EQ(clock.trouble(), interrupt_clock_trouble::other_boot);
}

TEST(interrupt_clock, refuses_a_header_that_contradicts_itself) {
  const auto spoilt = [](auto&& spoil) {
    clock_in_memory clock(2);
    spoil(clock.header());
    return clock.trouble();
  };
  using header = fencepost_clock_header;
  const auto malformed = interrupt_clock_trouble::malformed;
  EXPECT_EQ(spoilt([](header& it) { it.line = 128; }), malformed);
  EXPECT_EQ(spoilt([](header& it) { it.first_slot = 1; }), malformed);
  EXPECT_EQ(spoilt([](header& it) { it.clock = 7; }), malformed);
  EXPECT_EQ(spoilt([](header& it) { it.generation = 0; }), malformed);
  EXPECT_EQ(spoilt([](header& it) { it.slots = 0; }), malformed);
  EXPECT_EQ(spoilt([](header& it) { it.slots = 3; }), malformed) << "more than there is memory for";
  EXPECT_EQ(spoilt([](header& it) { it.slots = ~0U; }), malformed);
}

TEST(interrupt_clock, refuses_memory_that_holds_no_header) {
  clock_in_memory clock(2);
  interrupt_clock_trouble trouble{};
  EXPECT_EQ(interrupt_clock::at(&clock.header(), sizeof(fencepost_clock_line), trouble), nullptr);
  EXPECT_EQ(trouble, interrupt_clock_trouble::malformed);
}

TEST(interrupt_clock, refuses_files_that_are_not_of_a_bpf_file_system) {
  interrupt_clock_trouble trouble{};
  EXPECT_EQ(interrupt_clock::open("/proc/self/exe", trouble), nullptr);
  EXPECT_EQ(trouble, interrupt_clock_trouble::not_bpf);
  errno = 0;
  EXPECT_EQ(interrupt_clock::open("/nowhere/at/all", trouble), nullptr);
  EXPECT_EQ(trouble, interrupt_clock_trouble::absent);
  EXPECT_EQ(errno, 0);
}

TEST(interrupt_clock, is_not_looked_for_where_there_is_no_name) {
  auto trouble = interrupt_clock_trouble::none;
  EXPECT_EQ(interrupt_clock::open(nullptr, trouble), nullptr);
  EXPECT_EQ(trouble, interrupt_clock_trouble::absent);
  EXPECT_EQ(fencepost::interrupt_clock_wakeups::open(nullptr), nullptr);
  const std::string longest(100'000, 'a');
  for (const std::string& name : {std::string(), std::string("/"), longest, "/" + longest}) {
    EXPECT_EQ(interrupt_clock::open(name.c_str(), trouble), nullptr);
    EXPECT_NE(trouble, interrupt_clock_trouble::none);
    EXPECT_EQ(fencepost::interrupt_clock_wakeups::open(name.c_str()), nullptr);
  }
  EXPECT_EQ(interrupt_clock::at(nullptr, 0, trouble), nullptr);
  EXPECT_EQ(trouble, interrupt_clock_trouble::malformed);
}

TEST(interrupt_clock, a_process_without_a_clock_gets_none) {
  ASSERT_EQ(::setenv("FENCEPOST_INTERRUPT_CLOCK", "/nowhere/at/all", 1), 0);
  EXPECT_EQ(interrupt_clock::process(), nullptr);
  EXPECT_EQ(interrupt_clock::process(), nullptr);
}

TEST(interrupt_clock, is_alive_as_long_as_it_beats) {
  clock_in_memory clock(2);
  clock.state().heartbeat = hour;
  const auto& its = clock.get();
  EXPECT_TRUE(its.alive(hour));
  EXPECT_TRUE(its.alive(hour + interrupt_clock::dead_after));
  EXPECT_FALSE(its.alive(hour + interrupt_clock::dead_after + 1));
}

TEST(interrupt_clock, is_alive_by_a_switch_of_threads_alone) {
  clock_in_memory clock(2);
  clock.slot(1).stamp = hour;
  EXPECT_TRUE(clock.get().alive(hour + interrupt_clock::dead_after));
  EXPECT_FALSE(clock.get().alive(hour + interrupt_clock::dead_after + 1));
}

TEST(interrupt_clock, that_never_beat_is_dead) {
  clock_in_memory clock(2);
  EXPECT_FALSE(clock.get().alive(interrupt_clock::now() + hour));
}

TEST(interrupt_clock, that_beats_in_the_future_is_dead) {
  clock_in_memory clock(2);
  const std::uint64_t now = interrupt_clock::now();
  clock.state().heartbeat = now + hour;
  clock.slot(0).stamp = now + hour;
  EXPECT_FALSE(clock.get().alive(now));
  // But not if it was the caller who was held up.
  clock.state().heartbeat = interrupt_clock::now();
  EXPECT_TRUE(clock.get().alive(now - 1));
}

TEST(interrupt_clock, has_passed_when_every_stamp_is_later_by_more_than_the_slack) {
  clock_in_memory clock(3);
  for (std::uint32_t cpu = 0; cpu < 3; ++cpu) clock.slot(cpu).stamp = hour + slack + 1;
  const auto& its = clock.get();
  EXPECT_TRUE(its.all_passed(hour, -1, nullptr));
  EXPECT_FALSE(its.all_passed(hour + 1, -1, nullptr));
  for (std::uint32_t cpu = 0; cpu < 3; ++cpu) {
    for (const std::uint64_t late : {std::uint64_t{0}, hour - 1, hour, hour + slack}) {
      clock.slot(cpu).stamp = late;
      EXPECT_FALSE(its.all_passed(hour, -1, nullptr)) << cpu << " at " << late;
    }
    clock.slot(cpu).stamp = hour + slack + 1;
  }
}

TEST(interrupt_clock, time_that_is_nearly_at_its_end_passes_nothing) {
  clock_in_memory clock(1);
  clock.slot(0).stamp = slack;
  EXPECT_FALSE(clock.get().all_passed(~std::uint64_t{0}, -1, nullptr));
}

TEST(interrupt_clock, a_callers_own_processor_counts_as_passed) {
  clock_in_memory clock(2);
  clock.slot(1).stamp = hour + slack + 1;
  EXPECT_TRUE(clock.get().all_passed(hour, 0, nullptr));
  EXPECT_FALSE(clock.get().all_passed(hour, 1, nullptr));
  EXPECT_FALSE(clock.get().all_passed(hour, -1, nullptr));
}

TEST(interrupt_clock, asks_of_a_subset_nothing_about_the_others) {
  clock_in_memory clock(4);
  clock.slot(2).stamp = hour + slack + 1;
  cpu_set_t subset;
  CPU_ZERO(&subset);
  EXPECT_TRUE(clock.get().all_passed(hour, -1, &subset));
  CPU_SET(2, &subset);
  EXPECT_TRUE(clock.get().all_passed(hour, -1, &subset));
  CPU_SET(3, &subset);
  EXPECT_FALSE(clock.get().all_passed(hour, -1, &subset));
  EXPECT_TRUE(clock.get().all_passed(hour, 3, &subset));
}

TEST(interrupt_clock, a_processor_that_no_subset_can_name_has_to_pass) {
  clock_in_memory clock(CPU_SETSIZE + 1);
  cpu_set_t subset;
  CPU_ZERO(&subset);
  EXPECT_FALSE(clock.get().all_passed(hour, -1, &subset));
  clock.slot(CPU_SETSIZE).stamp = hour + slack + 1;
  EXPECT_TRUE(clock.get().all_passed(hour, -1, &subset));
}

TEST(interrupt_clock, a_processor_that_is_switched_off_has_passed) {
  // This machine has no processor 1000; of those that it has, the kernel says that they are on.
  clock_in_memory clock(CPU_SETSIZE);
  ASSERT_GT(::sysconf(_SC_NPROCESSORS_ONLN), 0);
  ASSERT_LT(::sysconf(_SC_NPROCESSORS_CONF), 1000) << "written for smaller machines";
  const std::uint64_t now = interrupt_clock::now();
  clock.state().heartbeat = now;
  const auto& its = clock.get();
  bool passed = false;
  // Others may have asked within the last millisecond; then it is not asked again.
  while (!(passed = its.passed(now, 1000)) && interrupt_clock::now() < now + hour / 60) continue;
  EXPECT_TRUE(passed);
  cpu_set_t own;
  ASSERT_EQ(::sched_getaffinity(0, sizeof own, &own), 0);
  for (std::uint32_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &own)) {
      EXPECT_FALSE(its.passed(now, cpu)) << cpu;
    }
  }
}

TEST(interrupt_clock, an_answer_from_before_says_nothing_about_who_is_off_since) {
  char name[] = "/tmp/fencepost-online-XXXXXX";
  const int file = ::mkstemp(name);
  ASSERT_GE(file, 0);
  ASSERT_EQ(::write(file, "0-1\n", 4), 4);
  ::close(file);
  const std::string list = name;
  processors::offline_record record;
  const std::uint64_t early = processors::monotonic_now() - 1;
  EXPECT_TRUE(record.off_after(early, 2, list.c_str()));
  EXPECT_FALSE(record.off_after(early, 1, list.c_str()));
  EXPECT_FALSE(record.off_after(processors::monotonic_now() + hour, 2, list.c_str()));
  std::remove(list.c_str());
  EXPECT_TRUE(record.off_after(early, 2, list.c_str())) << "it has been answered";
  EXPECT_FALSE(processors::offline_record().off_after(early, 2, list.c_str()));
}

std::string listed(const std::string& text) {
  std::string found;
  const bool understood = processors::for_each_in(
      text.data(), text.size(),
      [&](unsigned processor) { found += std::to_string(processor) + " "; });
  return understood ? found : "no list";
}

TEST(processors, are_listed_as_the_kernel_lists_them) {
  EXPECT_EQ(listed("0\n"), "0 ");
  EXPECT_EQ(listed("0-3,8,10-11\n"), "0 1 2 3 8 10 11 ");
  EXPECT_EQ(listed("\n"), "");
  EXPECT_EQ(listed(""), "");
  for (const char* wrong :
       {"-", "1-", "-1", "3-2", "1,", ",1", "1,,2", "a", "1 2", "99999", "99999999999999999999"}) {
    EXPECT_EQ(listed(wrong), "no list") << wrong;
  }
}

}  // namespace
