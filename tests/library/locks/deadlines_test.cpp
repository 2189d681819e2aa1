// SPDX-License-Identifier: MIT
// Every timed operation with the earliest and latest deadlines of every kind of clock: what is long
// past ends at once, what never comes waits for what it waits for.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <mutex>
#include <ratio>
#include <shared_mutex>
#include <thread>
#include <tuple>
#include <type_traits>

#include "fencepost/condition_variable.hpp"
#include "fencepost/counting_semaphore.hpp"
#include "fencepost/detail/event.hpp"
#include "fencepost/event_count.hpp"
#include "fencepost/event_mutex.hpp"
#include "fencepost/futex.hpp"
#include "fencepost/futex_mutex.hpp"
#include "fencepost/mutex.hpp"
#include "fencepost/protocol/asymmetric.hpp"
#include "fencepost/ring.hpp"
#include "fencepost/shared_mutex.hpp"
#include "fencepost/spin_mutex.hpp"

namespace {

using namespace std::chrono_literals;
namespace chrono = std::chrono;

/// Picoseconds of which the present is near the end.
struct late_clock {
  using rep = std::int64_t;
  using period = std::pico;
  using duration = chrono::duration<rep, period>;
  using time_point = chrono::time_point<late_clock>;
  [[maybe_unused]] static constexpr bool is_steady = false;
  static time_point now() {
    return time_point::max() - 1h + duration(chrono::steady_clock::now().time_since_epoch() % 1h);
  }
};

/// Floating-point seconds since long before.
struct real_clock {
  using rep = double;
  using period = std::ratio<1>;
  using duration = chrono::duration<rep, period>;
  using time_point = chrono::time_point<real_clock>;
  [[maybe_unused]] static constexpr bool is_steady = true;
  static time_point now() { return time_point(chrono::steady_clock::now().time_since_epoch()); }
};

template <class Clock, class Duration>
constexpr auto earliest = chrono::time_point<Clock, Duration>::min();
template <class Clock, class Duration>
constexpr auto latest = chrono::time_point<Clock, Duration>::max();

template <class Clock>
constexpr auto in_doubles(double seconds) {
  return chrono::time_point<Clock, chrono::duration<double>>(chrono::duration<double>(seconds));
}
constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

template <class Clock>
auto all_past() {
  return std::tuple(earliest<Clock, typename Clock::duration>, earliest<Clock, chrono::hours>,
                    in_doubles<Clock>(-infinite), in_doubles<Clock>(-1e300),
                    in_doubles<Clock>(no_number), Clock::now());
}
template <class Clock>
auto all_that_never_come() {
  return std::tuple(latest<Clock, typename Clock::duration>, latest<Clock, chrono::hours>,
                    in_doubles<Clock>(infinite), in_doubles<Clock>(1e300));
}

// Units that are neither a part nor a multiple of a nanosecond: samples, frames, sevenths.
using samples = chrono::duration<std::int64_t, std::ratio<1, 44'100>>;
using frames = chrono::duration<std::int64_t, std::ratio<1'001, 30'000>>;
using sevenths = chrono::duration<std::int64_t, std::ratio<1, 7>>;

/// Some time from now, or the next unit. A cast of all that is since the epoch would overflow.
template <class Clock, class Duration>
chrono::time_point<Clock, Duration> in(auto time) {
  const auto now = Clock::now().time_since_epoch();
  const auto second = chrono::floor<chrono::seconds>(now);
  const auto seconds = chrono::floor<chrono::seconds>(time);
  return chrono::time_point<Clock, Duration>(
      chrono::ceil<Duration>(second + seconds) +
      chrono::ceil<Duration>(now - second + (time - seconds)));
}

// ---- What is waited for: attempt() says whether it came; open() lets it come.

template <class Mutex>
struct of_mutex {
  Mutex mutex;
  std::unique_lock<Mutex> held{mutex};
  bool attempt(auto deadline) {
    const std::unique_lock lock(mutex, deadline);
    return lock.owns_lock();
  }
  void open() { held.unlock(); }
};

struct of_readers : of_mutex<fencepost::interprocess_shared_mutex> {
  bool attempt(auto deadline) {
    const std::shared_lock lock(mutex, deadline);
    return lock.owns_lock();
  }
};

struct of_semaphore {
  fencepost::counting_semaphore<> semaphore{0};
  bool attempt(auto deadline) { return semaphore.try_acquire_until(deadline); }
  void open() { semaphore.release(); }
};

template <class Ring>
struct of_pop {
  Ring ring{2};
  int into = 0;
  bool attempt(auto deadline) {
    return ring.pop_until(into, deadline) == fencepost::ring_status::success;
  }
  void open() { ring.push(1); }
};

template <class Ring>
struct of_push {
  Ring ring{2};
  of_push() {
    while (ring.try_push(1) == fencepost::ring_status::success) {
    }
  }
  bool attempt(auto deadline) {
    return ring.push_until(2, deadline) == fencepost::ring_status::success;
  }
  void open() {
    int into = 0;
    ring.pop(into);
  }
};

struct of_event {
  fencepost::event event;
  fencepost::event::epoch since = event.reset();
  bool attempt(auto deadline) { return event.wait_until(since, deadline); }
  void open() { event.set(); }
};

template <class Count>
struct of_count {
  Count count;
  bool attempt(auto deadline) {
    return count.wait_until(typename Count::version_type{0}, deadline);
  }
  void open() { count.increment(); }
};

struct of_condition {
  fencepost::condition_variable condition;
  fencepost::mutex mutex;
  bool is_open = false;
  bool attempt(auto deadline) {
    std::unique_lock lock(mutex);
    return condition.wait_until(lock, deadline, [this] { return is_open; });
  }
  void open() {
    {
      const std::lock_guard lock(mutex);
      is_open = true;
    }
    condition.notify_all();
  }
};

constexpr fencepost::ring_tuning sleepy{.blocking = true, .spins = 0};

template <class Subject>
struct deadlines : testing::Test {};
using subjects = testing::Types<
    of_mutex<fencepost::mutex>, of_mutex<fencepost::interprocess_mutex>,
    of_mutex<fencepost::futex_mutex>, of_mutex<fencepost::interprocess_futex_mutex>,
    of_mutex<fencepost::event_mutex<>>,
    of_mutex<fencepost::event_mutex<fencepost::protocol::asymmetric>>,
    of_mutex<fencepost::spin_mutex>, of_mutex<fencepost::shared_mutex>, of_readers, of_semaphore,
    of_pop<fencepost::spsc_ring<int, sleepy>>, of_push<fencepost::spsc_ring<int, sleepy>>,
    of_pop<fencepost::mpmc_ring<int, sleepy>>, of_push<fencepost::mpmc_ring<int, sleepy>>, of_event,
    of_count<fencepost::event_count>, of_count<fencepost::single_producer_event_count>,
    of_count<fencepost::two_word_event_count>, of_condition>;
TYPED_TEST_SUITE(deadlines, subjects);

/// One attempt. Those of all subjects with all kinds of deadlines go through this one door, for to
/// make a thread for each of them takes the compiler minutes.
struct trial {
  virtual bool attempt() = 0;
  virtual void open() = 0;

 protected:
  ~trial() = default;
};

template <class Subject, class Deadline>
struct trial_until final : trial {
  explicit trial_until(Deadline time) : deadline(time) {}
  bool attempt() override { return subject.attempt(deadline); }
  void open() override { subject.open(); }

  Subject subject;
  const Deadline deadline;
};

/// By another thread: some may not be waited for by who could let them come.
bool comes(trial& subject, bool is_opened) {
  bool came = false;
  std::thread other([&] { came = subject.attempt(); });
  if (is_opened) {
    std::this_thread::sleep_for(1ms);
    subject.open();
  }
  other.join();
  return came;
}

void expect_to_end(trial&& subject) { EXPECT_FALSE(comes(subject, false)); }
void expect_to_wait(trial&& subject) { EXPECT_TRUE(comes(subject, true)); }

template <class Subject, class Clock>
void try_all_of() {
  std::apply([](auto... past) { (expect_to_end(trial_until<Subject, decltype(past)>(past)), ...); },
             all_past<Clock>());
  std::apply(
      [](auto... future) { (expect_to_wait(trial_until<Subject, decltype(future)>(future)), ...); },
      all_that_never_come<Clock>());
}

TYPED_TEST(deadlines, of_the_steady_clock) { try_all_of<TypeParam, chrono::steady_clock>(); }
TYPED_TEST(deadlines, of_the_system_clock) { try_all_of<TypeParam, chrono::system_clock>(); }
TYPED_TEST(deadlines, of_the_clock_of_files) { try_all_of<TypeParam, chrono::file_clock>(); }
TYPED_TEST(deadlines, of_a_clock_near_its_end) { try_all_of<TypeParam, late_clock>(); }
TYPED_TEST(deadlines, of_a_clock_of_real_numbers) { try_all_of<TypeParam, real_clock>(); }

template <class Subject, class Clock, class Duration>
void try_all_in() {
  using trial_in = trial_until<Subject, chrono::time_point<Clock, Duration>>;
  expect_to_end(trial_in(earliest<Clock, Duration>));
  expect_to_end(trial_in(in<Clock, Duration>(-2s)));
  expect_to_end(trial_in(in<Clock, Duration>(1ms)));
  expect_to_wait(trial_in(in<Clock, Duration>(1h)));
  expect_to_wait(trial_in(in<Clock, Duration>(24h * 1'000)));
  expect_to_wait(trial_in(latest<Clock, Duration>));
}
template <class Subject, class Clock>
void try_all_units() {
  try_all_in<Subject, Clock, samples>();
  try_all_in<Subject, Clock, frames>();
  try_all_in<Subject, Clock, sevenths>();
}

TYPED_TEST(deadlines, in_units_of_other_things_than_time) {
  try_all_units<TypeParam, chrono::steady_clock>();
  try_all_units<TypeParam, chrono::system_clock>();
  try_all_units<TypeParam, late_clock>();
}

/// Counts how often it is asked.
struct counted_clock {
  using duration = chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = chrono::time_point<counted_clock>;
  [[maybe_unused]] static constexpr bool is_steady = true;
  static inline std::atomic<int> asked{0};
  // Before the epoch, as that of files is.
  static time_point now() {
    asked.fetch_add(1, std::memory_order_relaxed);
    return time_point(chrono::steady_clock::now().time_since_epoch() -
                      chrono::hours(24 * 365 * 150));
  }
};

TYPED_TEST(deadlines, that_never_come_are_slept_for) {
  TypeParam subject;
  counted_clock::asked = 0;
  std::thread other([&] { EXPECT_TRUE(subject.attempt(counted_clock::time_point::max())); });
  const auto begun = chrono::steady_clock::now();
  std::this_thread::sleep_for(100ms);
  const int asked = counted_clock::asked.load();
  const auto milliseconds = (chrono::steady_clock::now() - begun) / 1ms;
  // Some wake every few milliseconds where the kernel or the processor leaves them no other way. A
  // spin mutex never sleeps.
  if (!std::is_same_v<TypeParam, of_mutex<fencepost::spin_mutex>>) {
    EXPECT_LT(asked, 20 + milliseconds);
  }
  subject.open();
  other.join();
}

template <class Clock, class Duration>
void is_kept_to() {
  const fencepost::futex::word word{0};
  const auto deadline = in<Clock, Duration>(5ms);
  EXPECT_EQ(fencepost::futex::wait_until(word, 0, deadline), fencepost::futex::outcome::timed_out);
  EXPECT_TRUE(fencepost::futex::has_passed(deadline));
  const chrono::duration<double> now = Clock::now().time_since_epoch();
  EXPECT_GT(now.count() + 1e-6, chrono::duration<double>(deadline.time_since_epoch()).count());
  EXPECT_FALSE(fencepost::futex::has_passed(in<Clock, Duration>(1h)));
}

TEST(deadlines, in_units_of_other_things_than_time_are_kept_to) {
  is_kept_to<chrono::steady_clock, samples>();
  is_kept_to<chrono::steady_clock, frames>();
  is_kept_to<chrono::steady_clock, sevenths>();
  is_kept_to<chrono::system_clock, samples>();
  is_kept_to<chrono::system_clock, frames>();
  is_kept_to<chrono::system_clock, sevenths>();
  is_kept_to<real_clock, samples>();
}

template <class Duration>
void is_as_long_as_that(chrono::seconds time, Duration same) {
  const auto before = chrono::steady_clock::now();
  const auto end = fencepost::futex::deadline_after(same);
  EXPECT_GE(end - before, time);
  EXPECT_LE(end - chrono::steady_clock::now(), time);
}

TEST(deadlines, of_durations_in_units_of_other_things_than_time) {
  const chrono::seconds time = 24h * 3'003;
  is_as_long_as_that(time, samples(44'100 * time.count()));
  is_as_long_as_that(time, frames(30'000 * (time.count() / 1'001)));
  is_as_long_as_that(time, sevenths(7 * time.count()));
  for (const auto end : {fencepost::futex::deadline_after(samples::max()),
                         fencepost::futex::deadline_after(frames::max()),
                         fencepost::futex::deadline_after(sevenths::max())}) {
    EXPECT_EQ(end, chrono::steady_clock::time_point::max());
  }
  const auto past = fencepost::futex::deadline_after(samples::min());
  EXPECT_LE(past, chrono::steady_clock::now());
}

TEST(deadlines, of_durations_end_or_do_not) {
  fencepost::futex::word word{0};
  for (const double past : {-infinite, -1e300, -0.0, 0.0, no_number}) {
    const chrono::duration<double> seconds(past);
    const auto end = fencepost::futex::deadline_after(seconds);
    EXPECT_LE(end, chrono::steady_clock::now());
    EXPECT_EQ(fencepost::futex::wait_for(word, 0, seconds), fencepost::futex::outcome::timed_out);
  }
  for (const double future : {infinite, 1e300, 1e10}) {
    EXPECT_EQ(fencepost::futex::deadline_after(chrono::duration<double>(future)),
              chrono::steady_clock::time_point::max());
  }
  const auto end = fencepost::futex::deadline_after(chrono::hours::min());
  EXPECT_LE(end, chrono::steady_clock::now());
  EXPECT_EQ(fencepost::futex::deadline_after(chrono::hours::max()),
            chrono::steady_clock::time_point::max());
}

}  // namespace
