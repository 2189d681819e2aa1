// SPDX-License-Identifier: MIT
//
// The event mutex of the proofs, of the protocol and for the scope that a variant names.
//
// It does not spin and tries once after the announcement: every try more adds executions and no new
// one without it, for a thread may always lose the earlier tries.
#pragma once

#include "fencepost/event_mutex.hpp"
#include "fencepost/futex.hpp"
#include "fencepost/observer.hpp"
#include "fencepost/protocol/asymmetric.hpp"
#include "fencepost/protocol/exchange.hpp"
#include "fencepost/protocol/lock_exchange.hpp"
#include "fencepost/protocol/seq_cst.hpp"
#include "fencepost/try_lock/compare_exchange_acquire.hpp"
#include "fencepost/try_lock/compare_exchange_seq_cst.hpp"
#include "fencepost/try_lock/test_and_set.hpp"

#ifndef SCOPE
#define SCOPE process
#endif

namespace proof {

using namespace fencepost::protocol;
namespace try_lock = fencepost::try_lock;

constexpr fencepost::event_mutex_tuning sleepy{
    .sync_spin_loops = 0, .retries = 1, .catch_misuse = false};

using sleepy_event_mutex =
    fencepost::event_mutex<PROTOCOL, sleepy, fencepost::unobserved, fencepost::futex::scope::SCOPE>;

}  // namespace proof
