// SPDX-License-Identifier: MIT
#include "fencepost/condition_variable.hpp"

#include <cerrno>
#include <condition_variable>
#include <cstddef>
#include <memory>

#include "deadline.hpp"
#include "exports.hpp"
#include "object.hpp"

namespace {

/// A C mutex as the condition variable wants it.
struct lockable {
  fencepost_mutex* mutex;

  void lock() noexcept { fencepost_mutex_lock(mutex); }
  void unlock() noexcept { fencepost_mutex_unlock(mutex); }
};

/// Calls `use` with the C++ condition variable that the flags name.
template <class Use>
auto with(fencepost_condition* condition, Use use) noexcept {
  constexpr std::size_t end = offsetof(fencepost_condition, flags);
  using fencepost::object;
  if ((condition->flags & FENCEPOST_INTERPROCESS) != 0) [[unlikely]] {
    return use(object<fencepost::interprocess_condition_variable, end>(condition));
  }
  return use(object<fencepost::condition_variable, end>(condition));
}

int wait(fencepost_condition* condition, fencepost_mutex* mutex,
         const fencepost::moment& deadline) noexcept {
  if (deadline.error != 0) return deadline.error;
  return with(condition, [&](auto& c) noexcept {
    lockable lock{mutex};
    if (deadline.for_ever) {
      c.wait(lock);
      return 0;
    }
    return c.wait_until(lock, deadline.at) == std::cv_status::timeout ? ETIMEDOUT : 0;
  });
}

}  // namespace

int fencepost_condition_init(fencepost_condition* condition, unsigned flags) noexcept {
  if (!fencepost::known(flags, FENCEPOST_INTERPROCESS)) return EINVAL;
  *condition = fencepost_condition FENCEPOST_CONDITION_INIT(flags);
  return 0;
}

void fencepost_condition_destroy(fencepost_condition* condition) noexcept {
  with(condition, [](auto& c) noexcept { std::destroy_at(&c); });
}

void fencepost_condition_wait(fencepost_condition* condition, fencepost_mutex* mutex) noexcept {
  static_cast<void>(wait(condition, mutex, fencepost::until(nullptr)));
}

int fencepost_condition_wait_until(fencepost_condition* condition, fencepost_mutex* mutex,
                                   const timespec* deadline) noexcept {
  return wait(condition, mutex, fencepost::until(deadline));
}

int fencepost_condition_wait_for(fencepost_condition* condition, fencepost_mutex* mutex,
                                 const timespec* timeout) noexcept {
  return wait(condition, mutex, fencepost::after(timeout));
}

void fencepost_condition_notify_one(fencepost_condition* condition) noexcept {
  with(condition, [](auto& c) noexcept { c.notify_one(); });
}

void fencepost_condition_notify_all(fencepost_condition* condition) noexcept {
  with(condition, [](auto& c) noexcept { c.notify_all(); });
}
