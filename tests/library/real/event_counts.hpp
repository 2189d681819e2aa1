// SPDX-License-Identifier: MIT
//
// The event counts that the suite runs, and which of them admit more than one producer.
#pragma once

#include <gtest/gtest.h>

#include "fencepost/event_count.hpp"

namespace real {

/// Sleeps at once, for sleeping is what most tests are about.
inline constexpr fencepost::event_count_tuning at_once{.spin_rounds = 0};

/// As on a kernel without the heavy barrier, with sleeps so short that many are cut off.
inline constexpr fencepost::event_count_tuning naps{
    .spin_rounds = 0, .heavy_barrier = false, .first_nap = 50, .longest_nap = 2'000};

template <template <class, fencepost::futex::scope, fencepost::event_count_tuning> class kind,
          class version = std::uint32_t, fencepost::event_count_tuning tuning = at_once>
using sleepy_event_count =
    fencepost::basic_event_count<kind, version, fencepost::futex::scope::process, tuning>;

namespace kind = fencepost::event_count_kind;

using event_counts =
    testing::Types<fencepost::event_count, fencepost::single_producer_event_count,
                   fencepost::two_word_event_count, sleepy_event_count<kind::many_producers>,
                   sleepy_event_count<kind::one_producer>, sleepy_event_count<kind::two_words>,
                   sleepy_event_count<kind::many_producers, std::uint64_t>,
                   sleepy_event_count<kind::one_producer, std::uint64_t>,
                   sleepy_event_count<kind::two_words, std::uint64_t>,
                   sleepy_event_count<kind::one_producer, std::uint32_t, naps>,
                   sleepy_event_count<kind::two_words, std::uint32_t, naps>>;

using interprocess_event_counts =
    testing::Types<fencepost::interprocess_event_count, fencepost::interprocess_event_count64,
                   fencepost::interprocess_single_producer_event_count,
                   fencepost::interprocess_single_producer_event_count64,
                   fencepost::interprocess_two_word_event_count,
                   fencepost::interprocess_two_word_event_count64>;

}  // namespace real
