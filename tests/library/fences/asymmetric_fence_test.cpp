// SPDX-License-Identifier: MIT
#include "fencepost/asymmetric_fence.hpp"

#include <gtest/gtest.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>

namespace {

using fencepost::asymmetric_strategy;

struct answer {
  int status = -1;
  std::string text;
};

/// What tests/library/fences/asymmetric_fence_process.cpp says when it is started with these
/// arguments, and with this wish in its environment; warnings come first.
answer process(const std::string& arguments, const std::string& wish = "",
               const char* program = FENCEPOST_ASYMMETRIC_FENCE_PROCESS) {
  answer got;
  FILE* const pipe = popen(("FENCEPOST_ASYMMETRIC_FENCE='" + wish +
                            "' " FENCEPOST_TEST_LAUNCHER " " + program + " " + arguments + " 2>&1")
                               .c_str(),
                           "r");
  if (pipe == nullptr) return got;
  char piece[256];
  while (std::fgets(piece, sizeof piece, pipe) != nullptr) got.text += piece;
  got.status = pclose(pipe);
  return got;
}

/// Whether a filter for system calls could be installed (not under an emulator).
bool unfiltered(const answer& got) {
  return WIFEXITED(got.status) && WEXITSTATUS(got.status) == 77;
}

/// Is there such a membarrier? Asked without the code that is tested.
bool kernel_has(int commands) {
  const long has = syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0);
  return has >= 0 && (has & commands) == commands;
}

bool kernel_has_membarrier() {
  return kernel_has(MEMBARRIER_CMD_PRIVATE_EXPEDITED | MEMBARRIER_CMD_GLOBAL_EXPEDITED);
}

/// Whether the form of the barrier for several processes reaches all threads; asked as above.
bool kernel_misses_threads() {
  utsname system{};
  uname(&system);
  int major = 0;
  int minor = 0;
  return std::sscanf(system.release, "%d.%d", &major, &minor) != 2 || major > 5 ||
         (major == 5 && minor >= 10);
}

/// What is in force between processes where nothing is forbidden.
std::string between_processes() {
  return kernel_misses_threads() ? "full_fences" : "global_expedited";
}

/// What heavy fences between processes say in a sandbox.
std::string reached() { return kernel_misses_threads() ? "reached" : "not reached"; }

/// What is in force where membarrier is forbidden, by what the process says when it is not.
std::string without_membarrier() {
  return process("strategy", "mprotect").text.find("does not work here") == std::string::npos
             ? "mprotect"
             : "full_fences";
}

TEST(asymmetric_fence, the_kernels_barrier_is_used_where_it_works) {
  if (!kernel_has_membarrier()) GTEST_SKIP() << "this kernel has no membarrier";
  EXPECT_EQ(process("strategy").text, "private_expedited " + between_processes() + "\n");
  EXPECT_TRUE(fencepost::interprocess_asymmetric_thread_fence_heavy());
}

TEST(asymmetric_fence, fences_before_every_initialiser_are_full_ones_or_decide) {
  if (!kernel_has_membarrier()) GTEST_SKIP() << "this kernel has no membarrier";
  EXPECT_EQ(process("early").text, "undecided private_expedited\n");
}

TEST(asymmetric_fence, one_of_a_light_and_a_heavy_side_sees_the_other) {
  EXPECT_EQ(process("litmus 6000").text, "0\n");
}

struct strategy_and_command {
  const char* name;
  int command;
};

class asymmetric_fence_choice : public testing::TestWithParam<strategy_and_command> {};

INSTANTIATE_TEST_SUITE_P(
    , asymmetric_fence_choice,
    testing::Values(strategy_and_command{"private_expedited", MEMBARRIER_CMD_PRIVATE_EXPEDITED},
                    strategy_and_command{"global_expedited", MEMBARRIER_CMD_GLOBAL_EXPEDITED},
                    strategy_and_command{"global", MEMBARRIER_CMD_GLOBAL}),
    [](const auto& one) { return one.param.name; });

TEST_P(asymmetric_fence_choice, is_granted_to_the_environment_and_to_the_program) {
  if (!kernel_has(GetParam().command)) GTEST_SKIP() << "not in this kernel";
  const std::string name = GetParam().name;
  if (GetParam().command == MEMBARRIER_CMD_GLOBAL_EXPEDITED && kernel_misses_threads()) {
    GTEST_SKIP() << "not to be relied on in this kernel";
  }
  const std::string between = kernel_has_membarrier() ? between_processes() : "full_fences";
  EXPECT_EQ(process("strategy", name).text, name + " " + between + "\n");
  EXPECT_EQ(process("use " + name).text, "used\n" + name + " " + between + "\n0\n");
}

TEST(asymmetric_fence, taking_pages_away_orders_or_is_refused) {
  const answer got = process("use mprotect");
  EXPECT_EQ(got.text.starts_with("used\nmprotect "), without_membarrier() == "mprotect");
  EXPECT_TRUE(got.text.ends_with("\n0\n")) << got.text;
}

TEST(asymmetric_fence, full_fences_are_granted_everywhere_and_for_good) {
  EXPECT_EQ(process("strategy", "full_fences").text, "full_fences full_fences\n");
  EXPECT_EQ(process("use private_expedited", "full_fences").text,
            "not used\nfull_fences full_fences\n0\n");
}

TEST(asymmetric_fence, full_fences_may_come_into_force_under_threads) {
  const answer got = process("change");
  EXPECT_TRUE(got.text.starts_with("0\nfull_fences ")) << got.text;
}

TEST(asymmetric_fence, an_unknown_wish_is_answered_once_and_the_automatic_choice_stands) {
  const answer got = process("strategy", "membarier");
  const std::string automatic = process("strategy", "automatic").text;
  EXPECT_EQ(got.text,
            "fencepost: FENCEPOST_ASYMMETRIC_FENCE=membarier: there is no such strategy, but "
            "automatic, private_expedited, global_expedited, global, mprotect and full_fences; in "
            "force: " +
                automatic.substr(0, automatic.find(' ')) + "\n" + automatic);
  EXPECT_EQ(
      process("strategy", "undecided").text.find("FENCEPOST_ASYMMETRIC_FENCE=undecided: there"),
      std::string("fencepost: ").size());
}

class asymmetric_fence_sandbox : public testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(, asymmetric_fence_sandbox,
                         testing::Values("1", "38", "22", "kill", "trap"), [](const auto& one) {
                           const std::string how = one.param;
                           return how[0] < 'a' ? "that_answers_" + how : "by_" + how;
                         });

TEST_P(asymmetric_fence_sandbox, that_forbids_membarrier_leaves_what_does_without) {
  const std::string how = GetParam();
  const answer got = process("without membarrier " + how + " strategy");
  if (unfiltered(got)) GTEST_SKIP() << "no system call filter here";
  EXPECT_EQ(got.text, without_membarrier() + " full_fences\n");
  EXPECT_EQ(process("without membarrier " + how + " litmus 1000").text, "0\n");
}

TEST_P(asymmetric_fence_sandbox, that_forbids_all_leaves_full_fences) {
  const std::string how = GetParam();
  const answer got = process("without all " + how + " strategy");
  if (unfiltered(got)) GTEST_SKIP() << "no system call filter here";
  EXPECT_EQ(got.text, "full_fences full_fences\n");
  EXPECT_EQ(process("without all " + how + " litmus 1000").text, "0\n");
}

TEST_P(asymmetric_fence_sandbox, of_one_thread_is_found_where_the_program_chooses) {
  if (!kernel_has_membarrier()) GTEST_SKIP() << "this kernel has no membarrier";
  const answer got = process(std::string("thread membarrier ") + GetParam());
  if (unfiltered(got)) GTEST_SKIP() << "no system call filter here";
  EXPECT_EQ(got.text, "not used\nprivate_expedited " + between_processes() + "\n");
}

TEST(asymmetric_fence, a_wish_that_a_sandbox_forbids_is_answered) {
  const answer got = process("without all kill strategy", "private_expedited");
  if (unfiltered(got)) GTEST_SKIP() << "no system call filter here";
  // By the process that enters the sandbox it was granted.
  EXPECT_EQ(got.text,
            "fencepost: FENCEPOST_ASYMMETRIC_FENCE=private_expedited: this does not work here; in "
            "force: full_fences\nfull_fences full_fences\n");
}

TEST(asymmetric_fence, a_barrier_forbidden_later_is_replaced_by_the_next_that_works) {
  if (!kernel_has_membarrier()) GTEST_SKIP() << "this kernel has no membarrier";
  const answer got = process("forbid membarrier 38");
  if (unfiltered(got)) GTEST_SKIP() << "no system call filter here";
  EXPECT_EQ(got.text, "private_expedited " + between_processes() + "\n" + without_membarrier() +
                          " full_fences\n" + reached() + "\n0\n");
}

TEST(asymmetric_fence, a_barrier_forbidden_later_turns_into_full_fences_where_none_works) {
  if (!kernel_has_membarrier()) GTEST_SKIP() << "this kernel has no membarrier";
  const answer got = process("forbid all 1");
  if (unfiltered(got)) GTEST_SKIP() << "no system call filter here";
  EXPECT_EQ(got.text, "private_expedited " + between_processes() + "\nfull_fences full_fences\n" +
                          reached() + "\n0\n");
}

TEST(asymmetric_fence, full_fences_enter_a_sandbox_that_kills) {
  const answer got = process("prepared");
  if (unfiltered(got)) GTEST_SKIP() << "no system call filter here";
  EXPECT_EQ(got.text, "full_fences full_fences\nfull_fences full_fences\n" + reached() + "\n0\n");
}

/// The same, built with the promise that light fences are free.
answer promised(const std::string& arguments, const std::string& wish = "") {
  return process(arguments, wish, FENCEPOST_ASYMMETRIC_FENCE_PROMISED);
}

TEST(asymmetric_fence, that_is_promised_to_be_free_orders_and_cannot_be_chosen_away) {
  if (!kernel_has_membarrier()) GTEST_SKIP() << "this kernel has no membarrier";
  EXPECT_EQ(promised("strategy").text, process("strategy").text);
  EXPECT_EQ(promised("litmus 20000").text, "0\n");
  EXPECT_EQ(promised("strategy", "full_fences").text,
            "fencepost: FENCEPOST_ASYMMETRIC_FENCE=full_fences: this does not work here; in force: "
            "private_expedited\nprivate_expedited full_fences\n");
}

TEST(asymmetric_fence, a_promise_that_a_sandbox_breaks_ends_the_program_with_a_message) {
  if (!kernel_has_membarrier()) GTEST_SKIP() << "this kernel has no membarrier";
  for (const char* const arguments : {"without all 1 strategy", "forbid all 1"}) {
    const answer got = promised(arguments);
    if (unfiltered(got)) GTEST_SKIP() << "no system call filter here";
    EXPECT_NE(got.text.find("built with FENCEPOST_LIGHT_FENCES_ARE_FREE"), std::string::npos)
        << got.text;
    EXPECT_NE(got.status, 0);
  }
}

TEST(asymmetric_fence, a_kernel_that_says_it_is_an_old_one_is_taken_for_no_older_than_it_is) {
  const answer got = process("old strategy");
  if (unfiltered(got)) GTEST_SKIP() << "no such personality here";
  EXPECT_EQ(got.text, process("strategy").text);
}

TEST(asymmetric_fence, relaxed_fences_are_none_and_errno_is_left_alone) {
  errno = 4711;
  fencepost::asymmetric_thread_fence_light(std::memory_order_relaxed);
  fencepost::asymmetric_thread_fence_heavy(std::memory_order_relaxed);
  fencepost::asymmetric_thread_fence_heavy();
  EXPECT_TRUE(fencepost::interprocess_asymmetric_thread_fence_heavy(std::memory_order_relaxed));
  EXPECT_EQ(errno, 4711);
}

TEST(asymmetric_fence, a_child_is_registered_as_its_parent_is) {
  if (!kernel_has_membarrier()) GTEST_SKIP() << "this kernel has no membarrier";
  ASSERT_EQ(fencepost::asymmetric_fence_strategy(), asymmetric_strategy::private_expedited);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0)
    _exit(syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0 ? 0 : 1);
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(asymmetric_fence, children_of_busy_parents_have_fences_of_their_own) {
  EXPECT_EQ(process("fork").status, 0);
  EXPECT_EQ(process("fork", without_membarrier()).status, 0);
}

TEST(asymmetric_fence, what_is_in_force_reaches_a_thread_that_took_over_from_one_that_ended) {
  const answer got = process("take_over");
  if (unfiltered(got)) GTEST_SKIP() << "needs two processors, real-time threads, and x86's counts";
  EXPECT_TRUE(got.text.starts_with("reached within\n")) << got.text;
  EXPECT_TRUE(kernel_misses_threads() || got.text.ends_with("\nreached between\n")) << got.text;
}

TEST(asymmetric_fence, strategies_have_names) {
  EXPECT_STREQ(asymmetric_fence_strategy_name(asymmetric_strategy::private_expedited),
               "private_expedited");
  EXPECT_STREQ(asymmetric_fence_strategy_name(asymmetric_strategy::full_fences), "full_fences");
  EXPECT_FALSE(fencepost::use_asymmetric_fence_strategy(asymmetric_strategy::undecided));
  EXPECT_FALSE(fencepost::use_asymmetric_fence_strategy(asymmetric_strategy::retreating));
}

}  // namespace
