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

/// That what is initialised without flags is zero, and any of the Objects as it is when new.
template <class... Objects, class Struct>
void expect_zero_and_new(const Struct& in_c) {
  EXPECT_TRUE(is_zero(in_c));
  constexpr std::size_t end = offsetof(Struct, flags);
  EXPECT_TRUE((is_a_new<Objects>(in_c, end) && ...));
}

TEST(Layout, AMutexInCIsTheOneInCpp) {
  expect_zero_and_new<fencepost::mutex, fencepost::interprocess_mutex>(
      fencepost_mutex FENCEPOST_MUTEX_INIT(0));
}

TEST(Layout, AFutexMutexInCIsTheOneInCpp) {
  expect_zero_and_new<fencepost::futex_mutex, fencepost::interprocess_futex_mutex>(
      fencepost_futex_mutex FENCEPOST_FUTEX_MUTEX_INIT(0));
}

TEST(Layout, AnEventMutexInCIsTheOneInCpp) {
  using namespace fencepost::protocol;
  using fencepost::event_mutex;
  using fencepost::interprocess_event_mutex;
  expect_zero_and_new<event_mutex<asymmetric>, event_mutex<exchange>, event_mutex<seq_cst>,
                      interprocess_event_mutex<interprocess_asymmetric>,
                      interprocess_event_mutex<exchange>, interprocess_event_mutex<seq_cst>>(
      fencepost_event_mutex FENCEPOST_EVENT_MUTEX_INIT(0));
}

TEST(Layout, AConditionVariableInCIsTheOneInCpp) {
  expect_zero_and_new<fencepost::condition_variable, fencepost::interprocess_condition_variable>(
      fencepost_condition FENCEPOST_CONDITION_INIT(0));
}

TEST(Layout, ASpinMutexInCIsTheOneInCpp) {
  const fencepost_spin_mutex fresh = FENCEPOST_SPIN_MUTEX_INIT;
  EXPECT_TRUE(is_zero(fresh));
  EXPECT_TRUE((is_a_new<fencepost::spin_mutex>(fresh, sizeof fresh)));
}

/// That an event count of a kind, initialised with its flags for either scope, is that kind's.
template <template <class, scope, fencepost::event_count_tuning> class Kind, class Word,
          class Initialise>
void expect_counts(Initialise initialised, unsigned flags) {
  using in_cpp = fencepost::basic_event_count<Kind, Word, scope::process>;
  using interprocess_in_cpp = fencepost::basic_event_count<Kind, Word, scope::shared>;
  const auto in_process = initialised(flags);
  constexpr std::size_t end = offsetof(decltype(in_process), flags);
  EXPECT_TRUE((is_a_new<in_cpp>(in_process, end)));
  EXPECT_EQ(in_process.flags, flags);
  const auto shared = initialised(flags | FENCEPOST_INTERPROCESS);
  EXPECT_TRUE((is_a_new<interprocess_in_cpp>(shared, end)));
  EXPECT_EQ(shared.flags, flags | FENCEPOST_INTERPROCESS);
}

template <class Word, class Initialise>
void expect_counts_of_all_kinds(Initialise initialised) {
  namespace kind = fencepost::event_count_kind;
  expect_counts<kind::many_producers, Word>(initialised, 0);
  expect_counts<kind::one_producer, Word>(initialised, FENCEPOST_ONE_PRODUCER);
  expect_counts<kind::two_words, Word>(initialised, FENCEPOST_TWO_WORDS);
  EXPECT_TRUE(is_zero(initialised(0)));
}

TEST(Layout, AnEventCountInCIsTheOneInCpp) {
  expect_counts_of_all_kinds<std::uint32_t>(
      [](unsigned flags) { return fencepost_event_count FENCEPOST_EVENT_COUNT_INIT(flags); });
}

TEST(Layout, AnEventCountOf64BitsInCIsTheOneInCpp) {
  expect_counts_of_all_kinds<std::uint64_t>(
      [](unsigned flags) { return fencepost_event_count64 FENCEPOST_EVENT_COUNT64_INIT(flags); });
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
