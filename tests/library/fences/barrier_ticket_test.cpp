// SPDX-License-Identifier: MIT
//
// Tickets by a clock that the test itself winds: two processors, whose stamps lie in its memory. On
// a real clock they are tested in tests/barrierd.
#include "fencepost/barrier_ticket.hpp"

#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <chrono>
#include <climits>
#include <cstdint>
#include <limits>
#include <thread>

namespace {

using fencepost::barrier_ticket;
using fencepost::interrupt_clock;
using fencepost::processors::monotonic_now;
using namespace std::chrono_literals;

constexpr std::uint64_t much = 10 * interrupt_clock::slack;

class barrier_ticket_by_hand : public testing::Test {
 protected:
  void SetUp() override {
    const auto strategy = fencepost::asymmetric_fence_strategy();
    if (!fencepost::light_fence_is_free(strategy)) GTEST_SKIP() << "tickets are ready at once here";
    ASSERT_EQ(sched_getaffinity(0, sizeof before_, &before_), 0);
    if (!CPU_ISSET(0, &before_) || !CPU_ISSET(1, &before_)) GTEST_SKIP() << "two processors needed";
    auto& header = lines_[0].header;
    header.magic = fencepost_clock_magic;
    header.version = fencepost_clock_version;
    header.line = fencepost_clock_line_size;
    header.first_slot = fencepost_clock_first_slot;
    header.slots = 2;
    header.clock = fencepost_clock_monotonic;
    header.generation = 1;
    ASSERT_TRUE(fencepost::detail::read_boot_id(header.boot_id));
    fencepost::interrupt_clock_trouble trouble{};
    clock_ = interrupt_clock::at(lines_, sizeof lines_, trouble);
    ASSERT_NE(clock_, nullptr) << to_string(trouble);
    run_on(0);
    beat();
    stamp(0, monotonic_now());
    stamp(1, monotonic_now());
  }
  void TearDown() override { pthread_setaffinity_np(pthread_self(), sizeof before_, &before_); }

  static void run_on(int cpu) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    ASSERT_EQ(pthread_setaffinity_np(pthread_self(), sizeof one, &one), 0);
  }
  void beat(std::uint64_t time = monotonic_now()) {
    __atomic_store_n(&lines_[1].state.heartbeat, time, __ATOMIC_RELEASE);
  }
  void stamp(int cpu, std::uint64_t time) {
    __atomic_store_n(&lines_[fencepost_clock_first_slot + cpu].slot.stamp, time, __ATOMIC_RELEASE);
  }

  /// Does something while the clock is alive.
  template <class Call>
  void beating(Call call) {
    std::atomic<bool> over{false};
    std::thread winding([&] {
      while (!over) beat();
    });
    call();
    over = true;
    winding.join();
  }

  alignas(64) fencepost_clock_line lines_[4]{};
  const interrupt_clock* clock_ = nullptr;
  cpu_set_t before_{};
};

TEST(barrier_ticket, is_ready_at_once_without_a_clock) {
  auto ticket = barrier_ticket::begin_by(nullptr);
  EXPECT_TRUE(ticket.ready());
  EXPECT_TRUE(ticket.wait_until(barrier_ticket::time_point::min()));
  ticket.finish();
}

TEST(barrier_ticket, begins_by_whatever_clock_the_process_has) {
  auto ticket = barrier_ticket::begin();
  ticket.wait_for(1s);
  EXPECT_TRUE(ticket.ready());
}

TEST_F(barrier_ticket_by_hand, is_ready_when_every_other_processor_has_passed) {
  auto ticket = barrier_ticket::begin_by(clock_);
  EXPECT_FALSE(ticket.ready());
  stamp(0, monotonic_now() + much);
  EXPECT_FALSE(ticket.ready()) << "the processor that begun it is not the one that matters";
  stamp(1, monotonic_now() + much);
  EXPECT_TRUE(ticket.ready());
  stamp(1, 0);
  EXPECT_TRUE(ticket.ready()) << "for good";
}

TEST_F(barrier_ticket_by_hand, is_of_the_processor_on_which_it_was_begun) {
  run_on(1);
  auto ticket = barrier_ticket::begin_by(clock_);
  stamp(0, monotonic_now() + much);
  EXPECT_TRUE(ticket.ready());
  stamp(0, monotonic_now());
  auto second = barrier_ticket::begin_by(clock_);
  run_on(0);
  EXPECT_FALSE(second.ready()) << "where it is asked does not matter";
}

TEST_F(barrier_ticket_by_hand, does_not_believe_stamps_of_about_the_same_time) {
  auto ticket = barrier_ticket::begin_by(clock_);
  stamp(1, monotonic_now() - much);
  EXPECT_FALSE(ticket.ready());
  const std::uint64_t before = monotonic_now();
  auto second = barrier_ticket::begin_by(clock_);
  stamp(1, before + interrupt_clock::slack);  // of the ticket's time, at most so much later
  EXPECT_FALSE(second.ready());
}

TEST_F(barrier_ticket_by_hand, copies_are_tickets_of_their_own) {
  auto ticket = barrier_ticket::begin_by(clock_);
  auto copy = ticket;
  stamp(1, monotonic_now() + much);
  EXPECT_TRUE(ticket.ready());
  stamp(1, 0);
  EXPECT_FALSE(copy.ready());
  stamp(1, monotonic_now() + much);
  EXPECT_TRUE(copy.ready());
}

TEST_F(barrier_ticket_by_hand, asks_of_a_subset_alone) {
  cpu_set_t first;
  CPU_ZERO(&first);
  CPU_SET(0, &first);
  auto ticket = barrier_ticket::begin_by(clock_, &first);
  EXPECT_TRUE(ticket.ready());
  CPU_SET(1, &first);
  auto both = barrier_ticket::begin_by(clock_, &first);
  EXPECT_FALSE(both.ready());
}

TEST_F(barrier_ticket_by_hand, takes_the_word_of_threads_that_check_in) {
  run_on(1);
  fencepost::barrier_check_in();
  run_on(0);
  auto ticket = barrier_ticket::begin_by(clock_);
  EXPECT_FALSE(ticket.ready()) << "that was before";
  std::atomic<bool> over{false};
  std::thread dedicated([&over] {
    run_on(1);
    while (!over) fencepost::barrier_check_in();
  });
  while (!ticket.ready()) std::this_thread::yield();
  over = true;
  dedicated.join();
}

TEST_F(barrier_ticket_by_hand, waits_for_the_clock) {
  std::atomic<bool> over{false};
  std::thread winding([&] {
    while (!over) {
      beat();
      stamp(1, monotonic_now());
      std::this_thread::yield();
    }
  });
  // While the winding thread does not run for a tenth of a second the clock is a dead one.
  while (!barrier_ticket::begin_by(clock_).wait(barrier_ticket::no_end)) continue;
  over = true;
  winding.join();
}

TEST_F(barrier_ticket_by_hand, is_over_at_the_deadline) {
  auto ticket = barrier_ticket::begin_by(clock_);
  beating([&] { EXPECT_FALSE(ticket.wait_for(2ms, barrier_ticket::no_end)); });
  EXPECT_TRUE(ticket.ready());
  auto late = barrier_ticket::begin_by(clock_);
  EXPECT_FALSE(late.wait_until(barrier_ticket::time_point::min()));
  EXPECT_TRUE(late.ready());
}

TEST_F(barrier_ticket_by_hand, is_over_when_patience_ends_whatever_the_deadline) {
  for (const auto deadline : {barrier_ticket::time_point::max(),
                              std::chrono::steady_clock::now() + std::chrono::hours(1)}) {
    auto ticket = barrier_ticket::begin_by(clock_);
    const auto since = std::chrono::steady_clock::now();
    beating([&] { EXPECT_FALSE(ticket.wait_until(deadline)); });
    EXPECT_TRUE(ticket.ready());
    EXPECT_GE(std::chrono::steady_clock::now() - since, barrier_ticket::usual_patience);
  }
}

TEST_F(barrier_ticket_by_hand, is_over_at_once_without_patience) {
  for (const auto patience : {std::chrono::nanoseconds::min(), std::chrono::nanoseconds(-1),
                              std::chrono::nanoseconds::zero()}) {
    for (const auto deadline :
         {barrier_ticket::time_point::min(), barrier_ticket::time_point::max()}) {
      auto ticket = barrier_ticket::begin_by(clock_);
      beating([&] { EXPECT_FALSE(ticket.wait_until(deadline, patience)); });
      EXPECT_TRUE(ticket.ready());
    }
  }
}

TEST_F(barrier_ticket_by_hand, no_stamp_is_later_than_the_last_of_all_times) {
  const auto last = std::numeric_limits<std::uint64_t>::max();
  for (const std::uint64_t time : {last, last - interrupt_clock::slack, last / 2}) {
    EXPECT_FALSE(clock_->all_passed(time, -1, nullptr));
    EXPECT_FALSE(clock_->all_passed(time, INT_MIN, nullptr));
    EXPECT_FALSE(clock_->all_passed_virtually(time, INT_MAX, nullptr));
  }
  stamp(0, last);
  stamp(1, last);
  EXPECT_TRUE(clock_->all_passed(0, -1, nullptr));
  EXPECT_FALSE(clock_->all_passed(last, -1, nullptr));
}

TEST_F(barrier_ticket_by_hand, patience_is_counted_since_it_was_begun) {
  auto ticket = barrier_ticket::begin_by(clock_);
  std::this_thread::sleep_for(2 * barrier_ticket::usual_patience);
  EXPECT_FALSE(ticket.wait()) << "and nothing is slept for";
}

TEST_F(barrier_ticket_by_hand, one_fence_does_for_all_that_were_begun_before) {
  auto ticket = barrier_ticket::begin_by(clock_);
  auto other = barrier_ticket::begin_by(clock_);
  ticket.finish();
  EXPECT_TRUE(other.ready());
  auto later = barrier_ticket::begin_by(clock_);
  EXPECT_FALSE(later.ready());
}

TEST_F(barrier_ticket_by_hand, is_over_when_the_clock_has_died) {
  auto ticket = barrier_ticket::begin_by(clock_);
  const std::uint64_t long_ago = monotonic_now() - 2 * interrupt_clock::dead_after;
  beat(long_ago);
  stamp(0, long_ago);
  stamp(1, long_ago);
  EXPECT_FALSE(ticket.wait(barrier_ticket::no_end));
  EXPECT_TRUE(ticket.ready());
}

TEST(barrier_ticket, is_ready_at_once_where_light_fences_are_full_ones) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_EXIT(
      {
        fencepost::use_asymmetric_fence_strategy(fencepost::asymmetric_strategy::full_fences);
        // A clock that nobody winds: it is not looked at.
        alignas(64) static fencepost_clock_line lines[4]{};
        auto ticket = barrier_ticket::begin_by(reinterpret_cast<const interrupt_clock*>(&lines[0]));
        ::_exit(ticket.ready() ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
