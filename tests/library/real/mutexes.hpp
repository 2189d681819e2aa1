// SPDX-License-Identifier: MIT
//
// The mutexes that the suite runs: all of them; those that put to sleep who waits; those that work
// between processes; those that may be destroyed by whoever unlocks them last.
#pragma once

#include <gtest/gtest.h>

#include <concepts>

#include "fencepost/event_mutex.hpp"
#include "fencepost/futex_mutex.hpp"
#include "fencepost/mutex.hpp"
#include "fencepost/protocol/asymmetric.hpp"
#include "fencepost/protocol/exchange.hpp"
#include "fencepost/protocol/lock_exchange.hpp"
#include "fencepost/spin_mutex.hpp"

namespace real {

/// Sleeps at once, for sleeping is what most tests are about.
inline constexpr fencepost::event_mutex_tuning sleepy{.sync_spin_loops = 0, .retries = 1};

template <class protocol, fencepost::futex::scope scope = fencepost::futex::scope::process>
using sleepy_event_mutex = fencepost::event_mutex<protocol, sleepy, fencepost::unobserved, scope>;

template <class... others>
using mutexes_and =
    testing::Types<others..., fencepost::mutex, fencepost::futex_mutex, fencepost::event_mutex<>,
                   fencepost::event_mutex<fencepost::protocol::asymmetric>,
                   sleepy_event_mutex<fencepost::protocol::seq_cst>,
                   sleepy_event_mutex<fencepost::protocol::exchange>,
                   sleepy_event_mutex<fencepost::protocol::lock_exchange>,
                   sleepy_event_mutex<fencepost::protocol::asymmetric>>;

using mutexes = mutexes_and<fencepost::spin_mutex>;
using mutexes_that_sleep = mutexes_and<>;

using interprocess_mutexes = testing::Types<
    fencepost::interprocess_mutex, fencepost::interprocess_futex_mutex,
    fencepost::interprocess_event_mutex<>,
    sleepy_event_mutex<fencepost::protocol::exchange, fencepost::futex::scope::shared>,
    sleepy_event_mutex<fencepost::protocol::interprocess_asymmetric,
                       fencepost::futex::scope::shared>>;

using mutexes_to_destroy =
    testing::Types<fencepost::mutex, fencepost::futex_mutex, fencepost::spin_mutex,
                   fencepost::interprocess_mutex, fencepost::interprocess_futex_mutex>;

/// Whether who waits sleeps in the end.
template <class mutex>
inline constexpr bool puts_to_sleep = !std::same_as<mutex, fencepost::spin_mutex>;

}  // namespace real
