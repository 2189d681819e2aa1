// SPDX-License-Identifier: MIT
//
// What can be done with a ring, whichever it is: the public functions of both kinds, built on a
// kind's own try_emplace(), on one that takes an element out, and on two waiting rooms.
#pragma once

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <type_traits>
#include <utility>

#include "fencepost/detail/last_waker.hpp"
#include "fencepost/detail/pause.hpp"
#include "fencepost/ring/status.hpp"
#include "fencepost/ring/waiting_room.hpp"

namespace fencepost::detail {

[[noreturn, gnu::noinline, gnu::cold]] inline void ring_misused(const char* kind, const void* ring,
                                                                const char* how) noexcept {
  std::fprintf(stderr, "fencepost::%s %p: %s (thread %d)\n", kind, ring, how,
               static_cast<int>(::gettid()));
  std::abort();
}

/// Tries until something comes of it: spins, and then sleeps in `room` between two tries. `again`
/// is what a try says when it would have to be repeated. `pass_on` wakes whoever else could go on.
template <class Room, class Try, class PassOn, class Deadline>
ring_status try_until_done(Room& room, unsigned spins, ring_status::reason again,
                           const Deadline& deadline, Try attempt, PassOn pass_on) {
  // Each look takes a line of memory away from the other side, which would rather fill it: so the
  // looks become rarer, and find more.
  if (spins != 0 && last_waker{&room}.was_here()) spins = 0;
  for (unsigned look = 0; look != spins; ++look) {
    for (unsigned pauses = 1U << (look < 5 ? look : 5); pauses != 0; --pauses) pause();
    const ring_status came = attempt();
    if (came != again) return came;
  }
  for (;;) {
    const auto ticket = room.announce();
    // Whichever way this round ends, by an exception of the element's or of a clock's, too: the
    // announcement is taken back, and a call that came for this thread is not lost on the others.
    struct round {
      ~round() {
        if (announced) room.cancel(own);
        pass_on();
      }
      Room& room;
      typename Room::ticket own;
      PassOn& pass_on;
      bool announced = true;
    } now{room, ticket, pass_on};
    ring_status came = attempt();
    if (came != again) return came;
    const bool in_time = room.sleep(ticket, deadline);
    now.announced = false;
    came = attempt();
    if (came != again) return came;
    if (!in_time) return ring_status::timed_out;
  }
}

/// Whether the ring makes an element of such arguments.
template <class Ring, class... Arguments>
concept can_emplace = requires(Ring& ring, Arguments&&... arguments) {
  ring.try_emplace(std::forward<Arguments>(arguments)...);
};

/// Ring has
///     try_emplace(arguments…)         success, full or closed
///     builds_in_place<arguments…>     whether that leaves the arguments alone if it says full
///     take_out(sink)                  success (sink was called with the element), empty or closed
///     pushers(), poppers()            the waiting rooms of those who found it full, or empty
///     can_push(), can_pop()           a guess, good enough to decide whom to wake
///     tuning                          a ring_tuning
template <class Ring, class T, bool Blocking>
class ring_operations {
 public:
  /// Puts a value in if there is room now: success, full or closed. Unless it succeeds the value is
  /// left as it was. An spsc_ring that is closed during the push assigns a value that was moved
  /// back to where it was: what that throws comes out here, and a T that cannot be assigned is
  /// lost.
  ring_status try_push(const T& value) { return self().try_emplace(value); }
  ring_status try_push(T&& value) { return self().try_emplace(std::move(value)); }

  /// Takes the oldest element if there is one now: success, empty, or closed, which says that there
  /// will never be another. Unless it succeeds `into` is left as it was.
  ring_status try_pop(T& into) { return self().take_out(assigning{into}); }

  /// As try_pop(into); nothing where there is no element now.
  [[nodiscard]] std::optional<T> try_pop() {
    std::optional<T> taken;
    static_cast<void>(self().take_out(constructing{taken}));
    return taken;
  }

  /// Puts a value in, waiting while the ring is full: success, or closed, and the value is left as
  /// it was, as by try_push().
  ring_status push(const T& value) requires Blocking { return emplace(value); }
  ring_status push(T&& value) requires Blocking { return emplace(std::move(value)); }

  /// As push(), of an element made of the arguments. Where that throws the ring is as before.
  /// Unless it succeeds the arguments may be used up: in an mpmc_ring if the element's constructor
  /// can throw, in an spsc_ring if the ring is closed during the call, and they are no T that is
  /// moved.
  template <class... Arguments>
  ring_status emplace(Arguments&&... arguments) requires(
      Blocking&& can_emplace<Ring, Arguments...>) {
    return emplace_by(no_deadline{}, std::forward<Arguments>(arguments)...);
  }

  /// As push(), for a while, on the steady clock: success, closed or timed_out. Unless it succeeds
  /// the value is left as it was, as by try_push().
  template <class Rep, class Period>
  ring_status push_for(const T& value,
                       std::chrono::duration<Rep, Period> at_most) requires Blocking {
    return push_until(value, futex::deadline_after(at_most));
  }
  template <class Rep, class Period>
  ring_status push_for(T&& value, std::chrono::duration<Rep, Period> at_most) requires Blocking {
    return push_until(std::move(value), futex::deadline_after(at_most));
  }

  /// As push_for(), until a moment on any clock.
  template <class Clock, class Duration>
  ring_status push_until(const T& value,
                         std::chrono::time_point<Clock, Duration> deadline) requires Blocking {
    return emplace_until(deadline, value);
  }
  template <class Clock, class Duration>
  ring_status push_until(T&& value,
                         std::chrono::time_point<Clock, Duration> deadline) requires Blocking {
    return emplace_until(deadline, std::move(value));
  }

  /// As emplace(), until a moment on any clock.
  template <class Clock, class Duration, class... Arguments>
  ring_status emplace_until(
      std::chrono::time_point<Clock, Duration> deadline,
      Arguments&&... arguments) requires(Blocking&& can_emplace<Ring, Arguments...>) {
    return emplace_by(deadline, std::forward<Arguments>(arguments)...);
  }

  /// Takes the oldest element, waiting while there is none: success, or closed when the ring was
  /// closed and everything that was pushed has been taken.
  ring_status pop(T& into) requires Blocking { return take(no_deadline{}, assigning{into}); }

  /// As pop(into); nothing once the ring is closed and empty. So one can write
  ///     while (auto work = ring.pop()) do_it(*work);
  [[nodiscard]] std::optional<T> pop() requires Blocking {
    std::optional<T> taken;
    static_cast<void>(take(no_deadline{}, constructing{taken}));
    return taken;
  }

  /// As pop(), for a while, on the steady clock: success, closed or timed_out.
  template <class Rep, class Period>
  ring_status pop_for(T& into, std::chrono::duration<Rep, Period> at_most) requires Blocking {
    return pop_until(into, futex::deadline_after(at_most));
  }
  template <class Rep, class Period>
  [[nodiscard]] std::optional<T> pop_for(
      std::chrono::duration<Rep, Period> at_most) requires Blocking {
    return pop_until(futex::deadline_after(at_most));
  }

  /// As pop_for(), until a moment on any clock.
  template <class Clock, class Duration>
  ring_status pop_until(T& into,
                        std::chrono::time_point<Clock, Duration> deadline) requires Blocking {
    return take(deadline, assigning{into});
  }
  template <class Clock, class Duration>
  [[nodiscard]] std::optional<T> pop_until(
      std::chrono::time_point<Clock, Duration> deadline) requires Blocking {
    std::optional<T> taken;
    static_cast<void>(take(deadline, constructing{taken}));
    return taken;
  }

 protected:
  // What take_out() does with the element. Both say whether they may throw.
  struct assigning {
    T& into;
    void operator()(T& element) const noexcept(std::is_nothrow_move_assignable_v<T>) {
      into = std::move(element);
    }
  };
  struct constructing {
    std::optional<T>& into;
    void operator()(T& element) const noexcept(std::is_nothrow_move_constructible_v<T>) {
      into.emplace(std::move(element));
    }
  };

  /// Takes the oldest element by `sink` where there was none a moment ago, waiting for it.
  template <class Deadline, class Sink>
  [[gnu::noinline]] ring_status take_slowly(const Deadline& deadline, Sink sink) {
    auto& room = self().poppers();
    return try_until_done(
        room, Ring::tuning.spins, ring_status::empty, deadline,
        [&] { return self().take_out(sink); },
        [&]() noexcept {
          if (room.occupied() && self().can_pop()) room.call_one();
        });
  }

 private:
  /// Where an element is a register's worth the slow paths get a copy, so that the element itself
  /// need not be in memory for the fast path's sake.
  static constexpr bool is_small =
      std::is_trivially_copyable_v<T> && sizeof(T) <= 2 * sizeof(void*);

  Ring& self() noexcept { return static_cast<Ring&>(*this); }

  template <class Deadline, class... Arguments>
  ring_status emplace_by(const Deadline& deadline, Arguments&&... arguments) {
    if constexpr (Ring::template builds_in_place<Arguments...>) {
      const ring_status came = self().try_emplace(std::forward<Arguments>(arguments)...);
      if (came != ring_status::full) [[likely]]
        return came;
      if constexpr (is_small && (std::is_same_v<const T&, Arguments&&> && ...)) {
        return emplace_slowly(deadline, T(arguments...));
      } else {
        return emplace_slowly(deadline, std::forward<Arguments>(arguments)...);
      }
    } else {
      // Once, for a constructor may use its arguments up. No cast: T is constructible.
      return emplace_by(deadline, T(std::forward<Arguments>(arguments)...));
    }
  }

  template <class Deadline, class Sink>
  ring_status take(const Deadline& deadline, Sink sink) {
    const ring_status came = self().take_out(sink);
    if (came != ring_status::empty) [[likely]]
      return came;
    if constexpr (is_small) {
      std::optional<T> taken;
      const ring_status late = take_slowly(deadline, constructing{taken});
      if (taken) sink(*taken);
      return late;
    } else {
      return take_slowly(deadline, sink);
    }
  }

  template <class Deadline, class... Arguments>
  [[gnu::noinline]] ring_status emplace_slowly(const Deadline& deadline, Arguments&&... arguments) {
    auto& room = self().pushers();
    return try_until_done(
        room, Ring::tuning.spins, ring_status::full, deadline,
        // Forwarded again and again, and taken from only by the try that succeeds.
        [&] { return self().try_emplace(std::forward<Arguments>(arguments)...); },
        [&]() noexcept {
          if (room.occupied() && self().can_push()) room.call_one();
        });
  }
};

}  // namespace fencepost::detail
