// SPDX-License-Identifier: MIT
#include "enrolment.hpp"
// Behind the one above, or it would enrol by itself.
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "deadline.hpp"
#include "exports.hpp"
#include "fencepost/event_count.hpp"
#include "object.hpp"

namespace {

using fencepost::futex::scope;
namespace kind = fencepost::event_count_kind;

constexpr unsigned kinds = FENCEPOST_ONE_PRODUCER | FENCEPOST_TWO_WORDS;

/// Calls `use` with the C++ event count that the flags name.
template <class Version, class Struct, class Use>
auto with(Struct* count, Use use) noexcept {
  constexpr std::size_t end = offsetof(Struct, flags);
  using fencepost::basic_event_count;
  using fencepost::object;
  if (count->flags == 0) [[likely]] {
    return use(object<basic_event_count<kind::many_producers, Version>, end>(count));
  }
  if (count->flags == FENCEPOST_ONE_PRODUCER) [[likely]] {
    return use(object<basic_event_count<kind::one_producer, Version>, end>(count));
  }
  switch (count->flags) {
    default:
      return use(object<basic_event_count<kind::two_words, Version>, end>(count));
    case FENCEPOST_INTERPROCESS:
      return use(
          object<basic_event_count<kind::many_producers, Version, scope::shared>, end>(count));
    case FENCEPOST_INTERPROCESS | FENCEPOST_ONE_PRODUCER:
      return use(object<basic_event_count<kind::one_producer, Version, scope::shared>, end>(count));
    case FENCEPOST_INTERPROCESS | FENCEPOST_TWO_WORDS:
      return use(object<basic_event_count<kind::two_words, Version, scope::shared>, end>(count));
  }
}

/// The same for a function that takes a pointer to const: nothing of the object's is const.
template <class Version, class Struct, class Use>
auto with(const Struct* count, Use use) noexcept {
  return with<Version>(const_cast<Struct*>(count), use);
}

/// 0, if these are flags of an event count; enrols where they ask for it.
int take(unsigned flags) noexcept {
  if (!fencepost::known(flags, FENCEPOST_INTERPROCESS | kinds)) return EINVAL;
  if ((flags & kinds) == kinds) return EINVAL;
  if ((flags & FENCEPOST_INTERPROCESS) != 0 && (flags & kinds) != 0) fencepost::enrol();
  return 0;
}

template <class Version, class Struct>
int wait(Struct* count, Version old, const fencepost::moment& deadline) noexcept {
  if (deadline.error != 0) return deadline.error;
  return with<Version>(count, [&](auto& c) noexcept {
    if (deadline.for_ever) {
      c.wait(old);
      return 0;
    }
    return c.wait_until(old, deadline.at) ? 0 : ETIMEDOUT;
  });
}

template <class Version, class Struct>
int await(Struct* count, bool (*done)(void*), void* data,
          const fencepost::moment& deadline) noexcept {
  if (deadline.error != 0) return deadline.error;
  return with<Version>(count, [&](auto& c) noexcept {
    const auto is_done = [&]() noexcept { return done(data); };
    if (deadline.for_ever) {
      c.wait(is_done);
      return 0;
    }
    return c.wait_until(deadline.at, is_done) ? 0 : ETIMEDOUT;
  });
}

fencepost_certainty in_c(fencepost::certainty certainty) noexcept {
  switch (certainty) {
    case fencepost::certainty::by_order:
      return FENCEPOST_CERTAIN_BY_ORDER;
    case fencepost::certainty::by_barrier:
      return FENCEPOST_CERTAIN_BY_BARRIER;
    case fencepost::certainty::by_time:
      break;
  }
  return FENCEPOST_CERTAIN_BY_TIME;
}

}  // namespace

int fencepost_event_count_init(fencepost_event_count* count, unsigned flags) noexcept {
  const int error = take(flags);
  if (error == 0) *count = fencepost_event_count FENCEPOST_EVENT_COUNT_INIT(flags);
  return error;
}

void fencepost_event_count_destroy(fencepost_event_count* count) noexcept {
  with<std::uint32_t>(count, [](auto& c) noexcept { std::destroy_at(&c); });
}

std::uint32_t fencepost_event_count_value(const fencepost_event_count* count) noexcept {
  return with<std::uint32_t>(count, [](auto& c) noexcept { return c.value(); });
}

void fencepost_event_count_increment(fencepost_event_count* count) noexcept {
  with<std::uint32_t>(count, [](auto& c) noexcept { return c.increment(); });
}

std::uint32_t fencepost_event_count_add(fencepost_event_count* count, std::uint32_t n) noexcept {
  return with<std::uint32_t>(count, [n](auto& c) noexcept { return c.add(n); });
}

std::uint32_t fencepost_event_count_wait(fencepost_event_count* count, std::uint32_t old) noexcept {
  return with<std::uint32_t>(count, [old](auto& c) noexcept { return c.wait(old); });
}

int fencepost_event_count_wait_until(fencepost_event_count* count, std::uint32_t old,
                                     const timespec* deadline) noexcept {
  return wait(count, old, fencepost::until(deadline));
}

int fencepost_event_count_wait_for(fencepost_event_count* count, std::uint32_t old,
                                   const timespec* timeout) noexcept {
  return wait(count, old, fencepost::after(timeout));
}

int fencepost_event_count_await(fencepost_event_count* count, bool (*done)(void*), void* data,
                                const timespec* deadline) noexcept {
  return await<std::uint32_t>(count, done, data, fencepost::until(deadline));
}

bool fencepost_event_count_has_waiters(const fencepost_event_count* count) noexcept {
  return with<std::uint32_t>(count, [](auto& c) noexcept { return c.has_waiters(); });
}

fencepost_certainty fencepost_event_count_certainty(const fencepost_event_count* count) noexcept {
  return with<std::uint32_t>(count, [](auto& c) noexcept { return in_c(c.certainty()); });
}

int fencepost_event_count64_init(fencepost_event_count64* count, unsigned flags) noexcept {
  const int error = take(flags);
  if (error == 0) *count = fencepost_event_count64 FENCEPOST_EVENT_COUNT64_INIT(flags);
  return error;
}

void fencepost_event_count64_destroy(fencepost_event_count64* count) noexcept {
  with<std::uint64_t>(count, [](auto& c) noexcept { std::destroy_at(&c); });
}

std::uint64_t fencepost_event_count64_value(const fencepost_event_count64* count) noexcept {
  return with<std::uint64_t>(count, [](auto& c) noexcept { return c.value(); });
}

void fencepost_event_count64_increment(fencepost_event_count64* count) noexcept {
  with<std::uint64_t>(count, [](auto& c) noexcept { return c.increment(); });
}

std::uint64_t fencepost_event_count64_add(fencepost_event_count64* count,
                                          std::uint64_t n) noexcept {
  return with<std::uint64_t>(count, [n](auto& c) noexcept { return c.add(n); });
}

std::uint64_t fencepost_event_count64_wait(fencepost_event_count64* count,
                                           std::uint64_t old) noexcept {
  return with<std::uint64_t>(count, [old](auto& c) noexcept { return c.wait(old); });
}

int fencepost_event_count64_wait_until(fencepost_event_count64* count, std::uint64_t old,
                                       const timespec* deadline) noexcept {
  return wait(count, old, fencepost::until(deadline));
}

int fencepost_event_count64_wait_for(fencepost_event_count64* count, std::uint64_t old,
                                     const timespec* timeout) noexcept {
  return wait(count, old, fencepost::after(timeout));
}

int fencepost_event_count64_await(fencepost_event_count64* count, bool (*done)(void*), void* data,
                                  const timespec* deadline) noexcept {
  return await<std::uint64_t>(count, done, data, fencepost::until(deadline));
}

bool fencepost_event_count64_has_waiters(const fencepost_event_count64* count) noexcept {
  return with<std::uint64_t>(count, [](auto& c) noexcept { return c.has_waiters(); });
}

fencepost_certainty fencepost_event_count64_certainty(
    const fencepost_event_count64* count) noexcept {
  return with<std::uint64_t>(count, [](auto& c) noexcept { return in_c(c.certainty()); });
}
