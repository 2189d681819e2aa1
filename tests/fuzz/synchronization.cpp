// SPDX-License-Identifier: MIT
// Semaphores, event counts, events, condition variables and once flags, by one thread, beside
// numbers.
// Nothing that would wait is called.
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <type_traits>

#include "choices.hpp"
#include "fencepost/condition_variable.hpp"
#include "fencepost/counting_semaphore.hpp"
#include "fencepost/detail/event.hpp"
#include "fencepost/event_count.hpp"
#include "fencepost/mutex.hpp"
#include "fencepost/once_flag.hpp"

namespace {

using fuzz::choices;
using fuzz::expect;
using moment = std::chrono::steady_clock::time_point;

template <class Semaphore>
void semaphore(choices& input) {
  std::ptrdiff_t permits = std::min<std::ptrdiff_t>(input.byte(), Semaphore::max());
  Semaphore one(permits);
  while (input.more()) {
    const bool is_there = permits > 0;
    switch (input.below(6)) {
      case 0:
        expect(one.try_acquire() == is_there);
        permits -= is_there;
        break;
      case 1:
        expect(one.try_acquire_until(moment(std::chrono::nanoseconds(input.byte()))) == is_there);
        permits -= is_there;
        break;
      case 2:
        expect(one.try_acquire_for(std::chrono::duration<double>(-1.0 * input.byte())) == is_there);
        permits -= is_there;
        break;
      case 3:
        if (is_there) one.acquire();
        permits -= is_there;
        break;
      case 4: {
        const auto many = input.extreme<std::ptrdiff_t>();
        const bool fits = many >= 0 && many <= Semaphore::max() - permits;
        expect(one.try_release(many) == fits);
        if (fits) permits += many;
        break;
      }
      default: {
        const auto many = std::min<std::ptrdiff_t>(input.byte(), Semaphore::max() - permits);
        one.release(many);
        permits += many;
      }
    }
    expect(one.permits() == permits);
  }
}

template <class Count>
void event_count(choices& input) {
  using version = typename Count::version_type;
  constexpr version last = Count::last_version;
  version now = input.extreme<version>() & last;
  Count one(now);
  while (input.more()) {
    switch (input.below(6)) {
      case 0:
        one.increment();
        now = (now + 1) & last;
        break;
      case 1: {
        const version many = input.extreme<version>() & last;
        expect(one.add(many) == now);
        now = (now + many) & last;
        break;
      }
      case 2: {
        const auto old = input.extreme<version>();
        expect(one.wait_until(old, moment()) == (old != now));
        break;
      }
      case 3:
        expect(!one.wait_until(now, moment(std::chrono::nanoseconds(input.byte()))));
        break;
      case 4: {
        const version old = now + 1 + input.byte();
        if (old != now) expect(one.wait(old) == now);
        break;
      }
      default:
        expect(!one.wait_for(std::chrono::nanoseconds(-1), [] { return false; }));
    }
    expect(one.value() == now);
  }
}

void event(choices& input) {
  fencepost::event one;
  bool is_set = false;
  fencepost::event::epoch latest = one.reset();
  while (input.more()) {
    switch (input.below(4)) {
      case 0:
        expect(one.set() == 0);
        is_set = true;
        break;
      case 1:
        latest = one.reset();
        is_set = false;
        expect(one.would_wait(latest));
        break;
      case 2:
        expect(one.wait_until(latest, moment()) == is_set);
        break;
      default:
        if (is_set) one.wait(latest);
    }
    expect(one.would_wait(latest) == !is_set);
  }
}

void condition_variable(choices& input) {
  fencepost::condition_variable one;
  fencepost::mutex door;
  std::unique_lock in(door);
  while (input.more()) {
    switch (input.below(5)) {
      case 0:
        one.notify_one();
        break;
      case 1:
        one.notify_all();
        break;
      case 2:
        expect(one.wait_until(in, moment(std::chrono::nanoseconds(input.byte()))) ==
               std::cv_status::timeout);
        break;
      case 3:
        expect(one.wait_for(in, std::chrono::duration<double>(-1.0 * input.byte())) ==
               std::cv_status::timeout);
        break;
      default: {
        const bool holds = input.below(2) != 0;
        expect(one.wait_until(in, moment(), [&] { return holds; }) == holds);
      }
    }
    expect(in.owns_lock() && door.is_locked());
  }
}

void once_flag(choices& input) {
  fencepost::once_flag one;
  unsigned done = 0;
  while (input.more()) {
    const bool fails = input.below(4) != 0;
    try {
      fencepost::call_once(one, [&] {
        if (fails) throw 1;
        ++done;
      });
    } catch (int) {
      expect(fails && done == 0);
    }
    expect(one.is_done() == (done == 1) && done <= 1);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  choices input(data, size);
  switch (input.below(12)) {
    case 0:
      semaphore<fencepost::counting_semaphore<>>(input);
      break;
    case 1:
      semaphore<fencepost::binary_semaphore>(input);
      break;
    case 2:
      semaphore<fencepost::counting_semaphore<0>>(input);
      break;
    case 3:
      event_count<fencepost::event_count>(input);
      break;
    case 4:
      event_count<fencepost::event_count64>(input);
      break;
    case 5:
      event_count<fencepost::single_producer_event_count>(input);
      break;
    case 6:
      event_count<fencepost::two_word_event_count>(input);
      break;
    case 7:
      event_count<fencepost::two_word_event_count64>(input);
      break;
    case 8:
      event_count<fencepost::interprocess_single_producer_event_count64>(input);
      break;
    case 9:
      event(input);
      break;
    case 10:
      condition_variable(input);
      break;
    default:
      once_flag(input);
  }
  return 0;
}
