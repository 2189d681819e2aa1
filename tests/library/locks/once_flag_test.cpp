// SPDX-License-Identifier: MIT
#include "fencepost/once_flag.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

namespace {

template <class Flag>
class any_once_flag : public testing::Test {};
using once_flags = testing::Types<fencepost::once_flag, fencepost::interprocess_once_flag>;
TYPED_TEST_SUITE(any_once_flag, once_flags);

TYPED_TEST(any_once_flag, has_its_function_called_once) {
  static constinit TypeParam flag;
  int calls = 0;
  EXPECT_FALSE(flag.is_done());
  const auto add = [&](int first, const std::unique_ptr<int>& second) { calls += first + *second; };
  fencepost::call_once(flag, add, 1, std::make_unique<int>(2));
  fencepost::call_once(flag, add, 1, std::make_unique<int>(2));
  EXPECT_EQ(calls, 3);
  EXPECT_TRUE(flag.is_done());
}

TYPED_TEST(any_once_flag, waits_for_who_is_at_it) {
  for (int round = 0; round != 200; ++round) {
    TypeParam flag;
    int calls = 0;
    std::vector<std::thread> threads;
    for (int n = 0; n != 4; ++n) {
      threads.emplace_back([&] {
        fencepost::call_once(flag, [&] {
          std::this_thread::yield();
          ++calls;
        });
        EXPECT_EQ(calls, 1);
      });
    }
    for (std::thread& one : threads) one.join();
  }
}

TYPED_TEST(any_once_flag, is_tried_again_after_an_exception) {
  TypeParam flag;
  int calls = 0;
  int thrown = 0;
  const auto need = [&] {
    try {
      fencepost::call_once(flag, [&] {
        if (++calls < 4) throw std::runtime_error("not yet");
      });
    } catch (const std::runtime_error&) {
      ++thrown;
      EXPECT_FALSE(flag.is_done());
    }
  };
  for (int n = 0; n != 3; ++n) need();
  EXPECT_EQ(thrown, 3);
  need();
  need();
  EXPECT_EQ(calls, 4);
  EXPECT_EQ(thrown, 3);
}

TYPED_TEST(any_once_flag, is_begun_anew_in_another_era) {
  TypeParam flag;
  EXPECT_TRUE(flag.begin(7));
  EXPECT_TRUE(flag.begin(8));
  flag.finish();
  EXPECT_FALSE(flag.begin(8));
  EXPECT_FALSE(flag.begin(9));
}

/// Another thread is in the middle of it when this one forks: the child, which is told by the era,
/// does it for itself.
TYPED_TEST(any_once_flag, is_begun_anew_in_the_child_of_a_fork) {
  TypeParam flag;
  TypeParam begun;
  TypeParam over;
  std::thread other([&] {
    EXPECT_TRUE(flag.begin());
    fencepost::call_once(begun, [] {});
    while (!over.is_done()) std::this_thread::yield();
    flag.finish();
  });
  while (!begun.is_done()) std::this_thread::yield();
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    if (!flag.begin(1)) ::_exit(1);
    flag.finish();
    ::_exit(flag.begin(1) ? 2 : 0);
  }
  int status = -1;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  fencepost::call_once(over, [] {});
  other.join();
  EXPECT_TRUE(flag.is_done());
}

}  // namespace
