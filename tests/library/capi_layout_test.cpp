// SPDX-License-Identifier: MIT
//
// A C struct that was initialised statically is used as a C++ object that nobody constructed. That
// this is one and the same is shown here, byte by byte, for each combination of flags.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <vector>

#include "fencepost/condition_variable.hpp"
#include "fencepost/event_count.hpp"
#include "fencepost/event_mutex.hpp"
#include "fencepost/fencepost.h"
#include "fencepost/futex_mutex.hpp"
#include "fencepost/mutex.hpp"
#include "fencepost/protocol/asymmetric.hpp"
#include "fencepost/protocol/exchange.hpp"
#include "fencepost/protocol/seq_cst.hpp"
#include "fencepost/spin_mutex.hpp"

namespace {

using fencepost::futex::scope;

/// Whether `in_c`, up to `end`, holds the bytes of an Object that was just constructed.
template <class Object, class Struct>
bool is_a_new(const Struct& in_c, std::size_t end) {
  static_assert(alignof(Object) <= alignof(Struct));
  if (sizeof(Object) > end) return false;
  // Padding keeps what was there: the same on both sides.
  std::vector<std::byte> bytes(sizeof(Object), std::byte{0});
  alignas(Object) std::byte memory[sizeof(Object)] = {};
  new (memory) Object;
  return std::memcmp(memory, &in_c, sizeof(Object)) == 0;
}

template <class Struct>
bool is_zero(const Struct& in_c) {
  const Struct zero{};
  return std::memcmp(&in_c, &zero, sizeof zero) == 0;
}

TEST(Layout, AMutexInCIsTheOneInCpp) {
  const fencepost_mutex fresh = FENCEPOST_MUTEX_INIT(0);
  EXPECT_TRUE(is_zero(fresh));
  constexpr std::size_t end = offsetof(fencepost_mutex, flags);
  EXPECT_TRUE((is_a_new<fencepost::mutex>(fresh, end)));
  EXPECT_TRUE((is_a_new<fencepost::interprocess_mutex>(fresh, end)));
}

TEST(Layout, AFutexMutexInCIsTheOneInCpp) {
  const fencepost_futex_mutex fresh = FENCEPOST_FUTEX_MUTEX_INIT(0);
  EXPECT_TRUE(is_zero(fresh));
  constexpr std::size_t end = offsetof(fencepost_futex_mutex, flags);
  EXPECT_TRUE((is_a_new<fencepost::futex_mutex>(fresh, end)));
  EXPECT_TRUE((is_a_new<fencepost::interprocess_futex_mutex>(fresh, end)));
}

TEST(Layout, AnEventMutexInCIsTheOneInCpp) {
  namespace protocol = fencepost::protocol;
  const fencepost_event_mutex fresh = FENCEPOST_EVENT_MUTEX_INIT(0);
  EXPECT_TRUE(is_zero(fresh));
  constexpr std::size_t end = offsetof(fencepost_event_mutex, flags);
  EXPECT_TRUE((is_a_new<fencepost::event_mutex<protocol::asymmetric>>(fresh, end)));
  EXPECT_TRUE((is_a_new<fencepost::event_mutex<protocol::exchange>>(fresh, end)));
  EXPECT_TRUE((is_a_new<fencepost::event_mutex<protocol::seq_cst>>(fresh, end)));
  EXPECT_TRUE((is_a_new<fencepost::interprocess_event_mutex<protocol::interprocess_asymmetric>>(
      fresh, end)));
  EXPECT_TRUE((is_a_new<fencepost::interprocess_event_mutex<protocol::exchange>>(fresh, end)));
  EXPECT_TRUE((is_a_new<fencepost::interprocess_event_mutex<protocol::seq_cst>>(fresh, end)));
}

TEST(Layout, AConditionVariableInCIsTheOneInCpp) {
  const fencepost_condition fresh = FENCEPOST_CONDITION_INIT(0);
  EXPECT_TRUE(is_zero(fresh));
  constexpr std::size_t end = offsetof(fencepost_condition, flags);
  EXPECT_TRUE((is_a_new<fencepost::condition_variable>(fresh, end)));
  EXPECT_TRUE((is_a_new<fencepost::interprocess_condition_variable>(fresh, end)));
}

TEST(Layout, ASpinMutexInCIsTheOneInCpp) {
  const fencepost_spin_mutex fresh = FENCEPOST_SPIN_MUTEX_INIT;
  EXPECT_TRUE(is_zero(fresh));
  EXPECT_TRUE((is_a_new<fencepost::spin_mutex>(fresh, sizeof fresh)));
}

template <class Object, class Struct>
void expect_new(const Struct& from_initialiser, unsigned flags) {
  EXPECT_TRUE((is_a_new<Object>(from_initialiser, offsetof(Struct, flags))));
  EXPECT_EQ(from_initialiser.flags, flags);
}

TEST(Layout, AnEventCountInCIsTheOneInCpp) {
  namespace kind = fencepost::event_count_kind;
  using fencepost::basic_event_count;
  expect_new<basic_event_count<kind::many_producers, std::uint32_t, scope::process>>(
      fencepost_event_count FENCEPOST_EVENT_COUNT_INIT(0), 0);
  expect_new<basic_event_count<kind::many_producers, std::uint32_t, scope::shared>>(
      fencepost_event_count FENCEPOST_EVENT_COUNT_INIT(FENCEPOST_INTERPROCESS),
      FENCEPOST_INTERPROCESS);
  expect_new<basic_event_count<kind::one_producer, std::uint32_t, scope::process>>(
      fencepost_event_count FENCEPOST_EVENT_COUNT_INIT(FENCEPOST_ONE_PRODUCER),
      FENCEPOST_ONE_PRODUCER);
  expect_new<basic_event_count<kind::one_producer, std::uint32_t, scope::shared>>(
      fencepost_event_count FENCEPOST_EVENT_COUNT_INIT(FENCEPOST_ONE_PRODUCER |
                                                       FENCEPOST_INTERPROCESS),
      FENCEPOST_ONE_PRODUCER | FENCEPOST_INTERPROCESS);
  expect_new<basic_event_count<kind::two_words, std::uint32_t, scope::process>>(
      fencepost_event_count FENCEPOST_EVENT_COUNT_INIT(FENCEPOST_TWO_WORDS), FENCEPOST_TWO_WORDS);
  expect_new<basic_event_count<kind::two_words, std::uint32_t, scope::shared>>(
      fencepost_event_count FENCEPOST_EVENT_COUNT_INIT(FENCEPOST_TWO_WORDS |
                                                       FENCEPOST_INTERPROCESS),
      FENCEPOST_TWO_WORDS | FENCEPOST_INTERPROCESS);
  EXPECT_TRUE(is_zero(fencepost_event_count FENCEPOST_EVENT_COUNT_INIT(0)));
}

TEST(Layout, AnEventCountOf64BitsInCIsTheOneInCpp) {
  namespace kind = fencepost::event_count_kind;
  using fencepost::basic_event_count;
  expect_new<basic_event_count<kind::many_producers, std::uint64_t, scope::process>>(
      fencepost_event_count64 FENCEPOST_EVENT_COUNT64_INIT(0), 0);
  expect_new<basic_event_count<kind::many_producers, std::uint64_t, scope::shared>>(
      fencepost_event_count64 FENCEPOST_EVENT_COUNT64_INIT(FENCEPOST_INTERPROCESS),
      FENCEPOST_INTERPROCESS);
  expect_new<basic_event_count<kind::one_producer, std::uint64_t, scope::process>>(
      fencepost_event_count64 FENCEPOST_EVENT_COUNT64_INIT(FENCEPOST_ONE_PRODUCER),
      FENCEPOST_ONE_PRODUCER);
  expect_new<basic_event_count<kind::one_producer, std::uint64_t, scope::shared>>(
      fencepost_event_count64 FENCEPOST_EVENT_COUNT64_INIT(FENCEPOST_ONE_PRODUCER |
                                                           FENCEPOST_INTERPROCESS),
      FENCEPOST_ONE_PRODUCER | FENCEPOST_INTERPROCESS);
  expect_new<basic_event_count<kind::two_words, std::uint64_t, scope::process>>(
      fencepost_event_count64 FENCEPOST_EVENT_COUNT64_INIT(FENCEPOST_TWO_WORDS),
      FENCEPOST_TWO_WORDS);
  expect_new<basic_event_count<kind::two_words, std::uint64_t, scope::shared>>(
      fencepost_event_count64 FENCEPOST_EVENT_COUNT64_INIT(FENCEPOST_TWO_WORDS |
                                                           FENCEPOST_INTERPROCESS),
      FENCEPOST_TWO_WORDS | FENCEPOST_INTERPROCESS);
  EXPECT_TRUE(is_zero(fencepost_event_count64 FENCEPOST_EVENT_COUNT64_INIT(0)));
}

// The sizes are promised: programs that were compiled with this header run with later libraries.
TEST(Layout, SizesAreThoseThatProgramsWereCompiledWith) {
  EXPECT_EQ(sizeof(fencepost_mutex), 8U);
  EXPECT_EQ(alignof(fencepost_mutex), 4U);
  EXPECT_EQ(sizeof(fencepost_futex_mutex), 8U);
  EXPECT_EQ(sizeof(fencepost_event_mutex), 12U);
  EXPECT_EQ(alignof(fencepost_event_mutex), 4U);
  EXPECT_EQ(sizeof(fencepost_spin_mutex), 1U);
  EXPECT_EQ(sizeof(fencepost_condition), 16U);
  EXPECT_EQ(alignof(fencepost_condition), 8U);
  EXPECT_EQ(sizeof(fencepost_event_count), 12U);
  EXPECT_EQ(alignof(fencepost_event_count), 4U);
  EXPECT_EQ(sizeof(fencepost_event_count64), 24U);
  EXPECT_EQ(alignof(fencepost_event_count64), 8U);
  EXPECT_EQ(sizeof(fencepost_spsc_ring), 512U);
  EXPECT_EQ(alignof(fencepost_spsc_ring), 128U);
  EXPECT_EQ(sizeof(fencepost_mpmc_ring), 512U);
  EXPECT_EQ(alignof(fencepost_mpmc_ring), 128U);
}

// Both may be in one program, and do not get in each other's way.
TEST(Layout, TheHeadersAndTheLibraryLiveInOneProgram) {
  fencepost::mutex in_cpp;
  fencepost_mutex in_c = FENCEPOST_MUTEX_INIT(0);
  in_cpp.lock();
  fencepost_mutex_lock(&in_c);
  EXPECT_FALSE(in_cpp.try_lock());
  EXPECT_EQ(fencepost_mutex_try_lock(&in_c), EBUSY);
  fencepost_mutex_unlock(&in_c);
  in_cpp.unlock();
  EXPECT_EQ(fencepost_mutex_destroy(&in_c), 0);
}

}  // namespace
