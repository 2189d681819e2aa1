// SPDX-License-Identifier: MIT
#include "fencepost/asymmetric_fence.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstdio>
#include <string>

namespace {

using fencepost::asymmetric_strategy;

struct answer {
  int status = -1;
  std::string text;
};

/// What tests/library/asymmetric_fence_process.cpp says when it is started with these arguments.
answer process(const std::string& arguments) {
  answer got;
  FILE* const pipe = popen(
      (FENCEPOST_TEST_LAUNCHER " " FENCEPOST_ASYMMETRIC_FENCE_PROCESS " " + arguments).c_str(),
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

/// Is there a membarrier to speak of? Asked without the code that is tested.
bool kernel_has_membarrier() {
  const int needed = MEMBARRIER_CMD_PRIVATE_EXPEDITED | MEMBARRIER_CMD_GLOBAL_EXPEDITED;
  const long has = syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0);
  return has >= 0 && (has & needed) == needed;
}

TEST(asymmetric_fence, the_kernels_barrier_is_used_where_it_works) {
  if (!kernel_has_membarrier()) GTEST_SKIP() << "this kernel has no membarrier";
  EXPECT_EQ(fencepost::asymmetric_fence_strategy(), asymmetric_strategy::membarrier);
  EXPECT_EQ(fencepost::interprocess_asymmetric_fence_strategy(), asymmetric_strategy::membarrier);
  EXPECT_TRUE(fencepost::interprocess_asymmetric_thread_fence_heavy());
}

TEST(asymmetric_fence, where_it_is_forbidden_both_sides_are_full_fences) {
  const answer got = process("without strategy");
  if (unfiltered(got)) GTEST_SKIP() << "no system call filter here";
  EXPECT_EQ(got.text, "full_fences full_fences\n");
}

TEST(asymmetric_fence, one_of_a_light_and_a_heavy_side_sees_the_other) {
  EXPECT_EQ(process("litmus 100000").text, "0\n");
}

TEST(asymmetric_fence, one_of_them_does_where_membarrier_is_forbidden) {
  const answer got = process("without litmus 100000");
  if (unfiltered(got)) GTEST_SKIP() << "no system call filter here";
  EXPECT_EQ(got.text, "0\n");
}

TEST(asymmetric_fence, a_barrier_forbidden_later_turns_into_full_fences) {
  if (!kernel_has_membarrier()) GTEST_SKIP() << "this kernel has no membarrier";
  const answer got = process("forbid");
  if (unfiltered(got)) GTEST_SKIP() << "no system call filter here";
  EXPECT_EQ(got.text, "membarrier membarrier\nfull_fences full_fences\nnot reached\n0\n");
}

TEST(asymmetric_fence, relaxed_fences_are_none_and_errno_is_left_alone) {
  errno = 4711;
  fencepost::asymmetric_thread_fence_light(std::memory_order_relaxed);
  fencepost::asymmetric_thread_fence_heavy(std::memory_order_relaxed);
  fencepost::asymmetric_thread_fence_heavy();
  EXPECT_TRUE(fencepost::interprocess_asymmetric_thread_fence_heavy(std::memory_order_relaxed));
  EXPECT_EQ(errno, 4711);
}

TEST(asymmetric_fence, a_child_has_fences_of_its_own) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const auto before = fencepost::asymmetric_fence_strategy();
    fencepost::asymmetric_thread_fence_heavy();
    _exit(fencepost::asymmetric_fence_strategy() == before ? 0 : 1);
  }
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
