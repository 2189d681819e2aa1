// SPDX-License-Identifier: MIT
#include "fencepost/ring.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>

namespace {

using namespace std::chrono_literals;
using fencepost::ring_status;

constexpr fencepost::ring_tuning sleepy{.blocking = true, .spins = 0, .catch_misuse = false};
constexpr fencepost::ring_tuning watched{.blocking = true, .spins = 0, .catch_misuse = true};

// A status becomes no bool by itself: the reason success is 0.
template <class A, class B>
concept comparable = requires(A a, B b) {
  a == b;
};
static_assert(!std::is_convertible_v<ring_status, bool>);
static_assert(std::is_constructible_v<bool, ring_status>);
static_assert(!comparable<ring_status, bool> && !comparable<ring_status, int>);
static_assert(comparable<ring_status, ring_status::reason>);

/// Counts what lives; cannot be copied.
struct counted {
  static inline std::atomic<int> alive{0};
  int value;

  explicit counted(int v) : value(v) { ++alive; }
  counted(counted&& other) noexcept : value(other.value) { other.value = -1, ++alive; }
  counted& operator=(counted&& other) noexcept {
    value = other.value;
    other.value = -1;
    return *this;
  }
  ~counted() { --alive; }
};

/// Throws when it is told to.
struct fragile {
  int value = 0;
  explicit fragile(int v) : value(v) {
    if (v < 0) throw std::runtime_error("no");
  }
  fragile(const fragile& other) : value(other.value) {
    if (value == 13) throw std::runtime_error("unlucky");
  }
  fragile(fragile&&) noexcept = default;
  fragile& operator=(const fragile&) = default;
  fragile& operator=(fragile&&) noexcept = default;
};

// Both kinds, with what they have in common; 4 elements.
struct spsc_kind {
  template <class T>
  using heap = fencepost::spsc_ring<T>;
  template <class T, std::size_t N>
  using within = fencepost::inline_spsc_ring<T, N>;
  template <class T, std::size_t N>
  using shared = fencepost::interprocess_spsc_ring<T, N>;
  template <class T>
  using asleep = fencepost::spsc_ring<T, sleepy>;
  template <class T>
  using caught = fencepost::spsc_ring<T, watched>;
};
struct mpmc_kind {
  template <class T>
  using heap = fencepost::mpmc_ring<T>;
  template <class T, std::size_t N>
  using within = fencepost::inline_mpmc_ring<T, N>;
  template <class T, std::size_t N>
  using shared = fencepost::interprocess_mpmc_ring<T, N>;
  template <class T>
  using asleep = fencepost::mpmc_ring<T, sleepy>;
  template <class T>
  using caught = fencepost::mpmc_ring<T, watched>;
};

/// Whether a thread of this process is asleep.
bool sleeps(pid_t thread) {
  std::ifstream stat("/proc/self/task/" + std::to_string(thread) + "/stat");
  const std::string line{std::istreambuf_iterator<char>(stat), {}};
  return line.find(") S ") != std::string::npos;
}

template <class Kind>
class ring : public testing::Test {};
using kinds = testing::Types<spsc_kind, mpmc_kind>;
TYPED_TEST_SUITE(ring, kinds);

TYPED_TEST(ring, gives_elements_back_in_order_and_says_when_it_is_full_or_empty) {
  typename TypeParam::template heap<int> r(4);
  EXPECT_EQ(r.capacity(), 4U);
  int element = 7;
  EXPECT_EQ(r.try_pop(element), ring_status::empty);
  EXPECT_EQ(element, 7);
  for (int round = 0; round != 5; ++round) {
    for (int n = 0; n != 4; ++n) EXPECT_TRUE(r.try_push(n));
    EXPECT_EQ(r.try_push(9), ring_status::full);
    EXPECT_EQ(r.size(), 4U);
    for (int n = 0; n != 4; ++n) EXPECT_EQ(r.try_pop(), n);
    EXPECT_EQ(r.try_pop(), std::nullopt);
    EXPECT_TRUE(r.empty());
  }
}

TYPED_TEST(ring, aligns_elements_as_they_want_to_be_aligned) {
  struct alignas(256) page {
    int value;
  };
  const auto fill_and_empty = [](auto& r) {
    for (int n = 0; n != 4; ++n) EXPECT_TRUE(r.try_push(page{n}));
    for (int n = 0; n != 4; ++n) EXPECT_EQ(r.try_pop()->value, n);
  };
  typename TypeParam::template within<page, 4> within;
  fill_and_empty(within);
  typename TypeParam::template heap<page> heap(4);
  fill_and_empty(heap);
}

/// Whether each function that makes an element accepts what it is passed.
template <class Ring, class Argument>
constexpr bool makes_elements_of = requires(Ring& r, Argument&& argument) {
  r.try_emplace(std::forward<Argument>(argument));
};
template <class Ring, class Argument>
constexpr bool makes_elements_of_waiting = requires(Ring& r, Argument&& argument) {
  r.emplace(std::forward<Argument>(argument));
  r.emplace_until(std::chrono::steady_clock::now(), std::forward<Argument>(argument));
};

TYPED_TEST(ring, makes_elements_of_what_they_are_constructible_from_and_casts_nothing) {
  struct base {};
  struct derived : base {};
  using pointers = typename TypeParam::template heap<derived*>;
  const auto expect = [](bool expected, bool at_once, bool waiting) {
    EXPECT_EQ(at_once, expected);
    EXPECT_EQ(waiting, expected);
  };
  expect(true, makes_elements_of<pointers, derived*>,
         makes_elements_of_waiting<pointers, derived*>);
  expect(true, makes_elements_of<pointers, std::nullptr_t>,
         makes_elements_of_waiting<pointers, std::nullptr_t>);
  expect(false, makes_elements_of<pointers, base*>, makes_elements_of_waiting<pointers, base*>);
  expect(false, makes_elements_of<pointers, const derived*>,
         makes_elements_of_waiting<pointers, const derived*>);
  expect(false, makes_elements_of<pointers, long>, makes_elements_of_waiting<pointers, long>);
}

TYPED_TEST(ring, works_with_a_single_cell) {
  typename TypeParam::template heap<int> r(1);
  for (int n = 0; n != 5; ++n) {
    EXPECT_TRUE(r.try_push(n));
    EXPECT_EQ(r.try_push(n), ring_status::full);
    EXPECT_EQ(r.try_pop(), n);
    EXPECT_EQ(r.try_pop(), std::nullopt);
  }
}

TYPED_TEST(ring, has_no_capacity_of_zero_or_beyond_memory) {
  using kind = typename TypeParam::template heap<int>;
  EXPECT_THROW(kind(0), std::length_error);
  EXPECT_THROW(kind(~std::size_t{0}), std::length_error);
}

TYPED_TEST(ring, moves_elements_that_cannot_be_copied_and_destroys_what_is_left) {
  {
    typename TypeParam::template within<counted, 4> r;
    for (int n = 0; n != 4; ++n) EXPECT_TRUE(r.emplace(n));
    counted extra(5);
    EXPECT_EQ(r.try_push(std::move(extra)), ring_status::full);
    EXPECT_EQ(extra.value, 5) << "a push that fails leaves its argument alone";
    EXPECT_EQ(counted::alive, 5);
    EXPECT_EQ(r.pop()->value, 0);
    counted into(6);
    EXPECT_TRUE(r.pop(into));
    EXPECT_EQ(into.value, 1);
    EXPECT_EQ(counted::alive, 4);
    EXPECT_TRUE(r.push(std::move(extra)));
  }
  EXPECT_EQ(counted::alive, 0);
}

TYPED_TEST(ring, is_as_before_when_a_constructor_throws) {
  typename TypeParam::template heap<fragile> r(2);
  EXPECT_TRUE(r.emplace(1));
  EXPECT_THROW(r.try_emplace(-1), std::runtime_error);
  EXPECT_THROW(r.emplace(-1), std::runtime_error);
  fragile unlucky(13);
  EXPECT_THROW(r.push(unlucky), std::runtime_error);
  EXPECT_EQ(r.size(), 1U);
  EXPECT_TRUE(r.emplace(2));
  EXPECT_EQ(r.pop()->value, 1);
  EXPECT_EQ(r.pop()->value, 2);
  EXPECT_TRUE(r.empty());
}

TYPED_TEST(ring, drains_after_it_was_closed_and_then_says_so) {
  typename TypeParam::template heap<int> r(4);
  EXPECT_TRUE(r.push(1));
  EXPECT_TRUE(r.push(2));
  EXPECT_FALSE(r.closed());
  r.close();
  r.close();
  EXPECT_TRUE(r.closed());
  EXPECT_EQ(r.push(3), ring_status::closed);
  EXPECT_EQ(r.try_push(3), ring_status::closed);
  EXPECT_EQ(r.push_for(3, 1h), ring_status::closed);
  int element = 0;
  EXPECT_TRUE(r.pop(element));
  EXPECT_EQ(element, 1);
  EXPECT_EQ(r.pop_for(1h), 2);
  EXPECT_EQ(r.pop(element), ring_status::closed);
  EXPECT_EQ(r.try_pop(element), ring_status::closed);
  EXPECT_EQ(r.pop_for(element, 1h), ring_status::closed);
  EXPECT_EQ(r.pop(), std::nullopt);
}

TYPED_TEST(ring, says_that_it_is_closed_before_it_says_that_it_is_full) {
  typename TypeParam::template heap<int> r(1);
  EXPECT_TRUE(r.push(1));
  r.close();
  EXPECT_EQ(r.try_push(2), ring_status::closed);
  EXPECT_EQ(r.push(2), ring_status::closed);
  EXPECT_EQ(r.pop(), 1);
}

TYPED_TEST(ring, gives_up_at_the_deadline_of_any_clock) {
  typename TypeParam::template asleep<int> r(1);
  const auto before = std::chrono::steady_clock::now();
  int element = 0;
  EXPECT_EQ(r.pop_for(element, 20ms), ring_status::timed_out);
  EXPECT_GE(std::chrono::steady_clock::now() - before, 20ms);
  EXPECT_EQ(r.pop_until(std::chrono::system_clock::now() + 5ms), std::nullopt);
  EXPECT_TRUE(r.push_for(1, 0s));
  EXPECT_EQ(r.push_for(2, 5ms), ring_status::timed_out);
  EXPECT_EQ(r.push_until(2, std::chrono::steady_clock::time_point::min()), ring_status::timed_out);
  EXPECT_EQ(r.emplace_until(std::chrono::system_clock::now() + 5ms, 3), ring_status::timed_out);
  EXPECT_EQ(r.pop_for(element, -1h), ring_status::success) << "what is there needs no time";
  EXPECT_EQ(element, 1);
}

TYPED_TEST(ring, lets_a_producer_wait_for_room_and_a_consumer_for_elements) {
  typename TypeParam::template asleep<std::unique_ptr<int>> r(1);
  static constexpr int many = 20'000;
  std::thread producer([&r] {
    for (int n = 0; n != many; ++n) ASSERT_TRUE(r.push(std::make_unique<int>(n)));
    r.close();
  });
  int expected = 0;
  while (auto element = r.pop()) ASSERT_EQ(**element, expected++);
  EXPECT_EQ(expected, many);
  producer.join();
}

TYPED_TEST(ring, wakes_those_who_wait_when_it_is_closed) {
  typename TypeParam::template asleep<int> empty(1);
  typename TypeParam::template asleep<int> full(1);
  ASSERT_TRUE(full.push(1));
  std::thread consumer([&] { EXPECT_EQ(empty.pop(), std::nullopt); });
  std::thread producer([&] { EXPECT_EQ(full.push(2), ring_status::closed); });
  std::this_thread::sleep_for(2ms);  // most likely asleep by now; the result is the same if not
  empty.close();
  full.close();
  consumer.join();
  producer.join();
}

TYPED_TEST(ring, loses_nothing_when_deadlines_race_with_elements) {
  typename TypeParam::template asleep<int> r(2);
  static constexpr int many = 5'000;
  std::thread producer([&r] {
    for (int n = 0; n != many;) {
      const ring_status came = r.push_for(n, std::chrono::microseconds(n % 50));
      if (came) ++n;
    }
    r.close();
  });
  int expected = 0;
  for (;;) {
    int element = -1;
    const ring_status came = r.pop_for(element, std::chrono::microseconds(expected % 70));
    if (came == ring_status::closed) break;
    if (came) {
      ASSERT_EQ(element, expected);
      ++expected;
    }
  }
  EXPECT_EQ(expected, many);
  producer.join();
}

TYPED_TEST(ring, either_takes_an_element_or_gives_it_back_when_it_is_closed_meanwhile) {
  for (int round = 0; round != 300; ++round) {
    typename TypeParam::template heap<counted> r(2);
    std::thread closer([&r] { r.close(); });
    int pushed = 0;
    std::thread producer([&r, &pushed] {
      for (;; ++pushed) {
        counted element(pushed);
        if (!r.push(std::move(element))) {
          EXPECT_EQ(element.value, pushed);
          return;
        }
      }
    });
    int popped = 0;
    while (auto element = r.pop()) EXPECT_EQ(element->value, popped++);
    closer.join();
    producer.join();
    EXPECT_EQ(popped, pushed);
  }
  EXPECT_EQ(counted::alive, 0);
}

TYPED_TEST(ring, loses_no_call_where_fences_are_full_ones_or_become_so) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_EXIT(
      {
        using asleep = typename TypeParam::template asleep<int>;
        asleep before(1);
        // As in a process that forbids itself membarrier.
        fencepost::use_asymmetric_fence_strategy(fencepost::asymmetric_strategy::full_fences);
        asleep after(1);
        for (asleep* const r : {&before, &after}) {
          std::thread producer([r] {
            for (int n = 0; n != 2'000; ++n) static_cast<void>(r->push(n));
            r->close();
          });
          int expected = 0;
          while (const auto element = r->pop()) {
            if (*element != expected++) ::_exit(1);
          }
          if (expected != 2'000) ::_exit(2);
          producer.join();
        }
        ::_exit(0);
      },
      testing::ExitedWithCode(0), "");
}

TYPED_TEST(ring, goes_between_processes) {
  using shared = typename TypeParam::template shared<std::uint64_t, 8>;
  void* const memory =
      ::mmap(nullptr, sizeof(shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  auto* const r = new (memory) shared;
  constexpr std::uint64_t many = 20'000;
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    for (std::uint64_t n = 1; n <= many; ++n) {
      if (!r->push(n)) ::_exit(1);
    }
    r->close();
    ::_exit(0);
  }
  std::uint64_t sum = 0;
  while (const auto element = r->pop()) sum += *element;
  EXPECT_EQ(sum, many * (many + 1) / 2);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  ::munmap(memory, sizeof(shared));
}

TYPED_TEST(ring, survives_a_process_that_is_killed_while_it_waits) {
  using shared = typename TypeParam::template shared<int, 2>;
  void* const memory = ::mmap(nullptr, sizeof(shared) + sizeof(std::atomic<int>),
                              PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  auto* const r = new (memory) shared;
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    static_cast<void>(r->pop());
    ::_exit(1);
  }
  std::this_thread::sleep_for(20ms);  // most likely asleep by now; the result is the same if not
  ::kill(child, SIGKILL);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status));
  std::thread producer([r] {
    for (int n = 0; n != 100; ++n) ASSERT_TRUE(r->push(n));
  });
  for (int n = 0; n != 100; ++n) EXPECT_EQ(r->pop(), n);
  producer.join();
  ::munmap(memory, sizeof(shared));
}

/// Can be asked so often.
struct failing_clock {
  using duration = std::chrono::milliseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<failing_clock>;
  [[maybe_unused]] static constexpr bool is_steady = false;
  static inline int answers = 0;
  static time_point now() {
    if (answers-- == 0) throw std::runtime_error("no time");
    return {};
  }
};

TYPED_TEST(ring, is_waited_for_by_nobody_whose_clock_has_failed) {
  for (const int answers : {0, 1, 2}) {
    typename TypeParam::template caught<int> r(1);
    failing_clock::answers = answers;
    EXPECT_THROW(static_cast<void>(r.pop_until(failing_clock::time_point(1ms))),
                 std::runtime_error);
    while (r.try_push(1)) {
    }
    failing_clock::answers = answers;
    EXPECT_THROW(r.push_until(1, failing_clock::time_point(1ms)), std::runtime_error);
  }
}

TYPED_TEST(ring, destroyed_while_somebody_waits_is_an_error_that_is_told) {
  using caught = typename TypeParam::template caught<int>;
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_DEATH(
      {
        auto* const r = new caught(1);
        std::atomic<pid_t> consumer{0};
        std::thread([r, &consumer] {
          consumer = ::gettid();
          static_cast<void>(r->pop());
        }).detach();
        while (consumer == 0 || !sleeps(consumer)) std::this_thread::yield();
        delete r;
      },
      "_ring 0x[0-9a-f]+: destroyed while a thread .*waits \\(thread [0-9]+\\)");
}

TEST(ring_status, is_true_where_it_succeeded_and_has_a_name) {
  EXPECT_TRUE(ring_status(ring_status::success));
  EXPECT_FALSE(ring_status(ring_status::full));
  EXPECT_STREQ(ring_status(ring_status::timed_out).what(), "timed out");
}

}  // namespace
