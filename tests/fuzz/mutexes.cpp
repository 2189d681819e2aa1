// SPDX-License-Identifier: MIT
// Mutexes of every kind, by one thread, beside what they must then be. Nothing that would wait is
// called.
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "choices.hpp"
#include "fencepost/event_mutex.hpp"
#include "fencepost/futex_mutex.hpp"
#include "fencepost/mutex.hpp"
#include "fencepost/protocol/asymmetric.hpp"
#include "fencepost/protocol/exchange.hpp"
#include "fencepost/protocol/lock_exchange.hpp"
#include "fencepost/protocol/seq_cst.hpp"
#include "fencepost/shared_mutex.hpp"
#include "fencepost/spin_mutex.hpp"

namespace {

using fuzz::choices;
using fuzz::expect;
using moment = std::chrono::steady_clock::time_point;

template <class Mutex>
void mutex(choices& input) {
  Mutex one;
  bool is_locked = false;
  while (input.more()) {
    const bool may_lock = !is_locked;
    switch (input.below(7)) {
      case 0:
        expect(one.try_lock() == may_lock);
        is_locked = true;
        break;
      case 1:
        expect(one.try_lock_until(moment(std::chrono::nanoseconds(input.byte()))) == may_lock);
        is_locked = true;
        break;
      case 2:
        expect(one.try_lock_for(std::chrono::hours::min()) == may_lock);
        is_locked = true;
        break;
      case 3:
        expect(one.try_lock_for(std::chrono::duration<float>(-1)) == may_lock);
        is_locked = true;
        break;
      case 4:
        if (may_lock) one.lock();
        is_locked = true;
        break;
      case 5:
        if constexpr (requires { one.unlock_if_locked(); }) {
          one.unlock_if_locked();
          is_locked = false;
          break;
        }
        [[fallthrough]];
      default:
        if (is_locked) one.unlock();
        is_locked = false;
    }
    if constexpr (requires { one.is_locked(); }) expect(one.is_locked() == is_locked);
  }
  if (is_locked) one.unlock();
}

template <class Mutex>
void shared_mutex(choices& input) {
  Mutex one;
  bool is_alone = false;
  unsigned sharing = 0;
  while (input.more()) {
    const bool may_share = !is_alone;
    const bool may_lock = !is_alone && sharing == 0;
    switch (input.below(11)) {
      case 0:
        expect(one.try_lock() == may_lock);
        is_alone |= may_lock;
        break;
      case 1:
        expect(one.try_lock_until(moment()) == may_lock);
        is_alone |= may_lock;
        break;
      case 2:
        expect(one.try_lock_for(std::chrono::hours::min()) == may_lock);
        is_alone |= may_lock;
        break;
      case 3:
        if (may_lock) one.lock();
        is_alone |= may_lock;
        break;
      case 4:
        expect(one.try_lock_shared() == may_share);
        sharing += may_share;
        break;
      case 5:
        expect(one.try_lock_shared_until(moment()) == may_share);
        sharing += may_share;
        break;
      case 6:
        expect(one.try_lock_shared_for(std::chrono::duration<float>(-1)) == may_share);
        sharing += may_share;
        break;
      case 7:
        if (may_share) one.lock_shared();
        sharing += may_share;
        break;
      case 8:
        if (is_alone) one.unlock();
        is_alone = false;
        break;
      case 9:
        one.unlock_if_shared();
        sharing -= sharing != 0;
        break;
      default:
        if (sharing != 0) {
          one.unlock_shared();
          --sharing;
        }
    }
    expect(one.is_locked() == is_alone && !one.is_full());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace protocol = fencepost::protocol;
  choices input(data, size);
  switch (input.below(12)) {
    case 0:
      mutex<fencepost::mutex>(input);
      break;
    case 1:
      mutex<fencepost::interprocess_mutex>(input);
      break;
    case 2:
      mutex<fencepost::futex_mutex>(input);
      break;
    case 3:
      mutex<fencepost::interprocess_futex_mutex>(input);
      break;
    case 4:
      mutex<fencepost::spin_mutex>(input);
      break;
    case 5:
      mutex<fencepost::event_mutex<protocol::seq_cst>>(input);
      break;
    case 6:
      mutex<fencepost::event_mutex<protocol::exchange>>(input);
      break;
    case 7:
      mutex<fencepost::event_mutex<protocol::lock_exchange>>(input);
      break;
    case 8:
      mutex<fencepost::event_mutex<protocol::asymmetric>>(input);
      break;
    case 9:
      shared_mutex<fencepost::shared_mutex>(input);
      break;
    case 10:
      shared_mutex<fencepost::interprocess_shared_mutex>(input);
      break;
    default:
      // What a mutex is to a thread that unlocks it twice, which the preloaded form must bear.
      mutex<fencepost::basic_mutex<fencepost::unobserved, fencepost::futex::scope::process,
                                   fencepost::mutex_tuning{.catch_misuse = false}>>(input);
  }
  return 0;
}
