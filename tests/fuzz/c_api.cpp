// SPDX-License-Identifier: MIT
// The C library, by one thread: what is said of each argument holds, times that are none included.
// Nothing that would wait is called.
#include <fencepost/fencepost.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <vector>

#include "choices.hpp"

namespace {

using fuzz::choices;
using fuzz::expect;

/// Any time at all, and what it is.
struct some_time {
  timespec value;
  bool is_one;

  explicit some_time(choices& input)
      : value{input.extreme<time_t>(), 0},
        is_one((value.tv_nsec = nanoseconds(input)) >= 0 && value.tv_nsec < 1'000'000'000) {}

  static long nanoseconds(choices& input) {
    switch (input.below(3)) {
      case 0:
        return input.extreme<long>();
      case 1:
        return 999'999'999 + static_cast<long>(input.below(3)) - 1;
      default:
        return input.byte();
    }
  }
  /// Whether nobody waits for it: no time, or past. `since_boot`: on the monotonic clock.
  [[nodiscard]] bool is_over(bool since_boot) const noexcept {
    return !is_one || value.tv_sec < 0 || (since_boot && value.tv_sec == 0) ||
           (value.tv_sec == 0 && value.tv_nsec == 0);
  }
};

/// The functions of a lock.
template <class Lock>
struct functions {
  void (*lock)(Lock*);
  int (*try_lock)(Lock*);
  int (*lock_until)(Lock*, const timespec*);
  int (*lock_for)(Lock*, const timespec*);
  void (*unlock)(Lock*);
  int (*destroy)(Lock*);
};

template <class Lock>
void use_lock(choices& input, Lock& one, const functions<Lock>& does) {
  bool is_held = false;
  while (input.more()) {
    const some_time time(input);
    const int free_or = is_held ? ETIMEDOUT : 0;
    switch (input.below(7)) {
      case 0:
        if (!is_held) does.lock(&one);
        is_held = true;
        break;
      case 1:
        expect(does.try_lock(&one) == (is_held ? EBUSY : 0));
        is_held = true;
        break;
      case 2:
        if (is_held && !time.is_over(true)) break;
        expect(does.lock_until(&one, &time.value) == (time.is_one ? free_or : EINVAL));
        is_held |= time.is_one;
        break;
      case 3:
        if (is_held && !time.is_over(false)) break;
        expect(does.lock_for(&one, &time.value) == (time.is_one ? free_or : EINVAL));
        is_held |= time.is_one;
        break;
      case 4:
        if (is_held) break;
        expect(does.lock_for(&one, nullptr) == 0);
        is_held = true;
        break;
      case 5:
        expect(!is_held || does.destroy(&one) == EBUSY);
        break;
      default:
        if (is_held) does.unlock(&one);
        is_held = false;
    }
  }
  if (is_held) does.unlock(&one);
  expect(does.destroy(&one) == 0);
}

void locks(choices& input) {
  const unsigned flags = input.byte() % 2 == 0 ? input.below(8) : input.raw<unsigned>();
  const bool is_plain = (flags & ~1U) == 0;
  switch (input.below(4)) {
    case 0: {
      fencepost_mutex one;
      expect(fencepost_mutex_init(&one, flags) == (is_plain ? 0 : EINVAL));
      if (!is_plain) return;
      use_lock<fencepost_mutex>(
          input, one,
          {fencepost_mutex_lock, fencepost_mutex_try_lock, fencepost_mutex_lock_until,
           fencepost_mutex_lock_for, fencepost_mutex_unlock, fencepost_mutex_destroy});
      break;
    }
    case 1: {
      fencepost_futex_mutex one;
      expect(fencepost_futex_mutex_init(&one, flags) == (is_plain ? 0 : EINVAL));
      if (!is_plain) return;
      use_lock<fencepost_futex_mutex>(
          input, one,
          {fencepost_futex_mutex_lock, fencepost_futex_mutex_try_lock,
           fencepost_futex_mutex_lock_until, fencepost_futex_mutex_lock_for,
           fencepost_futex_mutex_unlock, fencepost_futex_mutex_destroy});
      break;
    }
    case 2: {
      fencepost_event_mutex one;
      const bool is_known = (flags & ~7U) == 0 && (flags & 6U) != 6;
      expect(fencepost_event_mutex_init(&one, flags) == (is_known ? 0 : EINVAL));
      if (!is_known) return;
      use_lock<fencepost_event_mutex>(
          input, one,
          {fencepost_event_mutex_lock, fencepost_event_mutex_try_lock,
           fencepost_event_mutex_lock_until, fencepost_event_mutex_lock_for,
           fencepost_event_mutex_unlock, fencepost_event_mutex_destroy});
      break;
    }
    default: {
      fencepost_spin_mutex one;
      fencepost_spin_mutex_init(&one);
      use_lock<fencepost_spin_mutex>(
          input, one,
          {fencepost_spin_mutex_lock, fencepost_spin_mutex_try_lock,
           fencepost_spin_mutex_lock_until, fencepost_spin_mutex_lock_for,
           fencepost_spin_mutex_unlock, fencepost_spin_mutex_destroy});
    }
  }
}

void event_counts(choices& input) {
  const unsigned flags = input.byte() % 2 == 0 ? input.below(8) : input.raw<unsigned>();
  const bool is_known = (flags & ~7U) == 0 && (flags & 6U) != 6;
  fencepost_event_count one;
  fencepost_event_count64 wide;
  expect(fencepost_event_count_init(&one, flags) == (is_known ? 0 : EINVAL));
  expect(fencepost_event_count64_init(&wide, flags) == (is_known ? 0 : EINVAL));
  if (!is_known) return;
  const bool has_two_words = (flags & FENCEPOST_TWO_WORDS) != 0;
  const std::uint32_t last = has_two_words ? UINT32_MAX : UINT32_MAX >> 1;
  const std::uint64_t last_wide = has_two_words ? UINT64_MAX : UINT64_MAX >> 1;
  std::uint32_t now = 0;
  std::uint64_t now_wide = 0;
  while (input.more()) {
    const some_time time(input);
    switch (input.below(5)) {
      case 0:
        fencepost_event_count_increment(&one);
        fencepost_event_count64_increment(&wide);
        now = (now + 1) & last;
        now_wide = (now_wide + 1) & last_wide;
        break;
      case 1: {
        const std::uint32_t many = input.extreme<std::uint32_t>() & last;
        expect(fencepost_event_count_add(&one, many) == now);
        now = (now + many) & last;
        const std::uint64_t many_wide = input.extreme<std::uint64_t>() & last_wide;
        expect(fencepost_event_count64_add(&wide, many_wide) == now_wide);
        now_wide = (now_wide + many_wide) & last_wide;
        break;
      }
      case 2:
        if (!time.is_over(true)) break;
        expect(fencepost_event_count_wait_until(&one, now, &time.value) ==
               (time.is_one ? ETIMEDOUT : EINVAL));
        expect(fencepost_event_count64_wait_until(&wide, now_wide, &time.value) ==
               (time.is_one ? ETIMEDOUT : EINVAL));
        break;
      case 3: {
        const auto old = input.extreme<std::uint32_t>();
        if (old == now) break;
        expect(fencepost_event_count_wait(&one, old) == now);
        expect(fencepost_event_count_wait_for(&one, old, &time.value) ==
               (time.is_one ? 0 : EINVAL));
        break;
      }
      default: {
        const auto never = [](void*) { return false; };
        if (!time.is_over(true)) break;
        expect(fencepost_event_count_await(&one, never, nullptr, &time.value) ==
               (time.is_one ? ETIMEDOUT : EINVAL));
      }
    }
    expect(fencepost_event_count_value(&one) == now);
    expect(fencepost_event_count64_value(&wide) == now_wide);
  }
  fencepost_event_count_destroy(&one);
  fencepost_event_count64_destroy(&wide);
}

/// What is known of a ring of elements of so many bytes, each a number of its own.
struct model {
  std::size_t element_size;
  std::size_t capacity;
  std::deque<std::uint8_t> numbers;
  bool is_closed = false;
  std::uint8_t next = 0;

  [[nodiscard]] std::vector<std::uint8_t> element(std::uint8_t number) const {
    return std::vector<std::uint8_t>(element_size, number);
  }
  [[nodiscard]] std::size_t room() const noexcept {
    return is_closed ? 0 : capacity - numbers.size();
  }
  void came_in(int came, int otherwise) {
    if (is_closed) return expect(came == EPIPE);
    expect(came == (room() != 0 ? 0 : otherwise));
    if (room() != 0) numbers.push_back(next);
  }
  void came_out(int came, int otherwise, const std::vector<std::uint8_t>& element) {
    if (numbers.empty()) return expect(came == (is_closed ? EPIPE : otherwise));
    expect(came == 0 && element == this->element(numbers.front()));
    numbers.pop_front();
  }
};

#define RING(kind)                                                    \
  struct kind##_functions {                                           \
    using type = fencepost_##kind;                                    \
    static constexpr auto memory = fencepost_##kind##_memory;         \
    static constexpr auto init = fencepost_##kind##_init;             \
    static constexpr auto destroy = fencepost_##kind##_destroy;       \
    static constexpr auto push = fencepost_##kind##_push;             \
    static constexpr auto try_push = fencepost_##kind##_try_push;     \
    static constexpr auto push_until = fencepost_##kind##_push_until; \
    static constexpr auto push_for = fencepost_##kind##_push_for;     \
    static constexpr auto pop = fencepost_##kind##_pop;               \
    static constexpr auto try_pop = fencepost_##kind##_try_pop;       \
    static constexpr auto pop_until = fencepost_##kind##_pop_until;   \
    static constexpr auto pop_for = fencepost_##kind##_pop_for;       \
    static constexpr auto close = fencepost_##kind##_close;           \
    static constexpr auto closed = fencepost_##kind##_closed;         \
    static constexpr auto capacity = fencepost_##kind##_capacity;     \
    static constexpr auto size = fencepost_##kind##_size;             \
  };
RING(spsc_ring)
RING(mpmc_ring)

void push_and_pop_many(choices& input, fencepost_spsc_ring& ring, model& beside) {
  const auto count = input.extreme<std::size_t>();
  if (input.below(2) == 0) {
    // As many as are looked at.
    std::vector<std::uint8_t> from;
    const std::size_t most = std::min(count, beside.room());
    for (std::size_t n = 0; n != most; ++n) {
      const std::vector<std::uint8_t> one = beside.element(static_cast<std::uint8_t>(n));
      from.insert(from.end(), one.begin(), one.end());
    }
    expect(fencepost_spsc_ring_try_push_n(&ring, from.data(), count) == most);
    for (std::size_t n = 0; n != most; ++n) beside.numbers.push_back(static_cast<std::uint8_t>(n));
  } else {
    const std::size_t most = std::min(count, beside.numbers.size());
    std::vector<std::uint8_t> into(most * beside.element_size);
    expect(fencepost_spsc_ring_try_pop_n(&ring, into.data(), count) == most);
    for (std::size_t n = 0; n != most; ++n) {
      expect(into[n * beside.element_size] == beside.numbers.front());
      beside.numbers.pop_front();
    }
  }
}

/// Sizes of which nobody has so much memory.
template <class Does>
void refused(choices& input) {
  typename Does::type ring;
  const auto element_size = input.extreme<std::size_t>();
  const auto capacity = input.extreme<std::size_t>();
  const auto flags = input.raw<unsigned>();
  const std::size_t needed = Does::memory(element_size, capacity);
  expect(needed == 0 || needed / element_size >= capacity);
  alignas(std::max_align_t) static unsigned char memory[64];
  const std::size_t size = std::min(input.extreme<std::size_t>(), sizeof memory);
  const int came = Does::init(&ring, element_size, capacity, memory, size, flags);
  const bool is_possible = needed != 0 && needed <= size && (flags & ~1U) == 0;
  expect(came == (is_possible ? 0 : EINVAL));
  if (is_possible) expect(Does::destroy(&ring) == 0);
}

template <class Does>
void use_ring(choices& input) {
  model beside{1U + input.below(40), 1U + input.below(20), {}};
  const std::size_t needed = Does::memory(beside.element_size, beside.capacity);
  typename Does::type ring;
  void* memory = nullptr;
  const unsigned flags = input.below(2);
  if (flags != 0) memory = std::aligned_alloc(64, (needed + 63) / 64 * 64);
  expect(Does::init(&ring, beside.element_size, beside.capacity, memory, needed, flags) == 0);
  beside.capacity = Does::capacity(&ring);
  std::vector<std::uint8_t> into(beside.element_size);
  while (input.more()) {
    const std::vector<std::uint8_t> from = beside.element(++beside.next);
    const bool push_waits = beside.room() == 0 && !beside.is_closed;
    const bool pop_waits = beside.numbers.empty() && !beside.is_closed;
    switch (const unsigned what = input.below(12)) {
      case 0:
      case 1:
        beside.came_in(Does::try_push(&ring, from.data()), EAGAIN);
        break;
      case 2:
        if (!push_waits) beside.came_in(Does::push(&ring, from.data()), 0);
        break;
      case 3:
        if (!pop_waits) beside.came_out(Does::pop(&ring, into.data()), 0, into);
        break;
      case 4:
        beside.came_out(Does::try_pop(&ring, into.data()), EAGAIN, into);
        break;
      case 5:
      case 6:
      case 7:
      case 8: {
        const some_time time(input);
        const bool is_push = what < 7;
        const bool is_moment = what % 2 == 0;
        if ((is_push ? push_waits : pop_waits) && !time.is_over(is_moment)) break;
        const int came = is_push ? (is_moment ? Does::push_until(&ring, from.data(), &time.value)
                                              : Does::push_for(&ring, from.data(), &time.value))
                                 : (is_moment ? Does::pop_until(&ring, into.data(), &time.value)
                                              : Does::pop_for(&ring, into.data(), &time.value));
        if (!time.is_one) {
          expect(came == EINVAL);
        } else if (is_push) {
          beside.came_in(came, ETIMEDOUT);
        } else {
          beside.came_out(came, ETIMEDOUT, into);
        }
        break;
      }
      case 9:
        if (input.below(16) == 0) {
          Does::close(&ring);
          beside.is_closed = true;
        }
        break;
      default:
        if constexpr (requires { fencepost_spsc_ring_size(&ring); }) {
          push_and_pop_many(input, ring, beside);
        }
    }
    expect(Does::size(&ring) == beside.numbers.size());
    expect(Does::closed(&ring) == beside.is_closed);
  }
  expect(Does::destroy(&ring) == 0);
  std::free(memory);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  choices input(data, size);
  switch (input.below(6)) {
    case 0:
      locks(input);
      break;
    case 1:
      event_counts(input);
      break;
    case 2:
      refused<spsc_ring_functions>(input);
      break;
    case 3:
      refused<mpmc_ring_functions>(input);
      break;
    case 4:
      use_ring<spsc_ring_functions>(input);
      break;
    default:
      use_ring<mpmc_ring_functions>(input);
  }
  return 0;
}
