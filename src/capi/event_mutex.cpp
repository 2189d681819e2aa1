// SPDX-License-Identifier: MIT
#include "enrolment.hpp"
// Behind the one above, or it would enrol by itself.
#include <cstddef>

#include "deadline.hpp"
#include "exports.hpp"
#include "fencepost/event_mutex.hpp"
#include "fencepost/protocol/asymmetric.hpp"
#include "fencepost/protocol/exchange.hpp"
#include "fencepost/protocol/seq_cst.hpp"
#include "lock.hpp"
#include "object.hpp"

namespace {

using fencepost::futex::scope;
namespace protocol = fencepost::protocol;

template <class Protocol, scope Scope = scope::process>
using event_mutex =
    fencepost::event_mutex<Protocol, fencepost::event_mutex_tuning{}, fencepost::unobserved, Scope>;

/// Calls `use` with the C++ mutex that the flags name.
template <class Use>
auto with(fencepost_event_mutex* mutex, Use use) noexcept {
  constexpr std::size_t end = offsetof(fencepost_event_mutex, flags);
  using fencepost::object;
  if (mutex->flags == FENCEPOST_ASYMMETRIC) [[likely]] {
    return use(object<event_mutex<protocol::asymmetric>, end>(mutex));
  }
  switch (mutex->flags) {
    default:
      return use(object<event_mutex<protocol::exchange>, end>(mutex));
    case FENCEPOST_SEQ_CST:
      return use(object<event_mutex<protocol::seq_cst>, end>(mutex));
    case FENCEPOST_ASYMMETRIC | FENCEPOST_INTERPROCESS:
      return use(object<event_mutex<protocol::interprocess_asymmetric, scope::shared>, end>(mutex));
    case FENCEPOST_EXCHANGE | FENCEPOST_INTERPROCESS:
      return use(object<event_mutex<protocol::exchange, scope::shared>, end>(mutex));
    case FENCEPOST_SEQ_CST | FENCEPOST_INTERPROCESS:
      return use(object<event_mutex<protocol::seq_cst, scope::shared>, end>(mutex));
  }
}

}  // namespace

int fencepost_event_mutex_init(fencepost_event_mutex* mutex, unsigned flags) noexcept {
  constexpr unsigned orderings = FENCEPOST_EXCHANGE | FENCEPOST_SEQ_CST;
  if (!fencepost::known(flags, FENCEPOST_INTERPROCESS | orderings)) return EINVAL;
  if ((flags & orderings) == orderings) return EINVAL;
  if (flags == (FENCEPOST_ASYMMETRIC | FENCEPOST_INTERPROCESS)) fencepost::enrol();
  *mutex = fencepost_event_mutex FENCEPOST_EVENT_MUTEX_INIT(flags);
  return 0;
}

int fencepost_event_mutex_destroy(fencepost_event_mutex* mutex) noexcept {
  return with(mutex, [](auto& lock) noexcept { return fencepost::destroy(lock); });
}

void fencepost_event_mutex_lock(fencepost_event_mutex* mutex) noexcept {
  with(mutex, [](auto& lock) noexcept { lock.lock(); });
}

int fencepost_event_mutex_try_lock(fencepost_event_mutex* mutex) noexcept {
  return with(mutex, [](auto& lock) noexcept { return fencepost::try_to_lock(lock); });
}

int fencepost_event_mutex_lock_until(fencepost_event_mutex* mutex,
                                     const timespec* deadline) noexcept {
  const fencepost::moment at = fencepost::until(deadline);
  return with(mutex, [&at](auto& lock) noexcept { return fencepost::lock_before(lock, at); });
}

int fencepost_event_mutex_lock_for(fencepost_event_mutex* mutex, const timespec* timeout) noexcept {
  const fencepost::moment at = fencepost::after(timeout);
  return with(mutex, [&at](auto& lock) noexcept { return fencepost::lock_before(lock, at); });
}

void fencepost_event_mutex_unlock(fencepost_event_mutex* mutex) noexcept {
  with(mutex, [](auto& lock) noexcept { lock.unlock(); });
}
