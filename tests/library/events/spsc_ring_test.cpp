// SPDX-License-Identifier: MIT
//
// What rings for one producer and one consumer do beyond what all rings do.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <iterator>
#include <limits>
#include <list>
#include <memory>
#include <new>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "fencepost/ring.hpp"

namespace {

using fencepost::ring_status;

constexpr fencepost::ring_tuning sleepy{.blocking = true, .spins = 0, .catch_misuse = false};
constexpr fencepost::ring_tuning watched{.blocking = true, .spins = 0, .catch_misuse = true};
constexpr fencepost::ring_tuning never_waiting{
    .blocking = false, .spins = 0, .catch_misuse = false};

/// An element and an iterator of those who overload what is not for others to overload.
namespace overloading {

struct number {
  int value = 0;
};
/// Must be copied to a place that is known.
struct throwing {
  explicit throwing(const number& from) : value(from.value) {}
  int value;
};
struct iterator {
  using iterator_category = std::forward_iterator_tag;
  using value_type = number;
  using difference_type = std::ptrdiff_t;
  using pointer = number*;
  using reference = number&;
  reference operator*() const { return *at; }
  iterator& operator++() {
    ++at;
    return *this;
  }
  iterator operator++(int) { return {at++}; }
  bool operator==(const iterator&) const = default;
  number* at;
};
template <class T>
void operator&(T&&) = delete;
template <class A, class B>
void operator,(A&&, B&&) = delete;

}  // namespace overloading

TEST(spsc_ring, keeps_to_the_capacity_that_it_was_given) {
  fencepost::spsc_ring<int> r(3);
  EXPECT_EQ(r.capacity(), 3U);
  for (int n = 0; n != 3; ++n) EXPECT_TRUE(r.try_push(n));
  EXPECT_EQ(r.try_push(3), ring_status::full);
}

TEST(spsc_ring, takes_and_gives_many_at_once) {
  fencepost::spsc_ring<int> r(5);
  std::vector<int> in(8);
  std::iota(in.begin(), in.end(), 0);
  EXPECT_EQ(r.try_push_n(in.begin(), 0), 0U);
  EXPECT_EQ(r.try_push_n(in.begin(), 8), 5U);
  EXPECT_EQ(r.try_push_n(in.begin(), 8), 0U);
  std::vector<int> out(8, -1);
  EXPECT_EQ(r.try_pop_n(out.begin(), 2), 2U);
  EXPECT_EQ(r.try_push_n(in.begin() + 5, 3), 2U);
  EXPECT_EQ(r.try_pop_n(out.begin() + 2, 8), 5U);
  EXPECT_EQ(r.try_pop_n(out.begin(), 8), 0U);
  for (int n = 0; n != 7; ++n) EXPECT_EQ(out[static_cast<std::size_t>(n)], n);
}

TEST(spsc_ring, calls_no_operators_that_are_overloaded_for_other_reasons) {
  using overloading::number;
  number numbers[] = {{1}, {2}, {3}};
  const overloading::iterator first{numbers + 0};
  fencepost::spsc_ring<number> r(8);
  EXPECT_EQ(r.try_push_n(first, 2), 2U);
  EXPECT_EQ(r.push_n(first, 3), 3U);
  EXPECT_TRUE(r.push(numbers[2]));
  EXPECT_EQ(r.pop()->value, 1);
  EXPECT_EQ(r.try_pop_n(first, 1), 1U);
  EXPECT_EQ(r.pop_n(first, 2), 2U);
  EXPECT_EQ(numbers[1].value, 2);
  fencepost::spsc_ring<overloading::throwing> throwing(4);
  EXPECT_EQ(throwing.try_push_n(first, 3), 3U);
  EXPECT_EQ(throwing.try_pop()->value, 1);
}

TEST(spsc_ring, takes_no_more_than_it_has_room_for_however_many_are_offered) {
  constexpr auto endless = std::numeric_limits<std::size_t>::max();
  const std::vector<int> in{7, 8, 9, 10, 11};
  for (const std::size_t already : {0U, 1U, 3U}) {
    fencepost::spsc_ring<int, sleepy> r(5);
    std::vector<int> out(8, -1);
    for (std::size_t n = 0; n != already; ++n) EXPECT_TRUE(r.try_push(0));
    EXPECT_EQ(r.try_pop_n(out.begin(), endless), already);
    for (const std::size_t count : {endless, endless - 1, endless / 2 + 1, endless - already}) {
      EXPECT_EQ(r.try_push_n(in.begin(), count), 5U);
      EXPECT_EQ(r.try_push_n(in.begin(), count), 0U);
      EXPECT_EQ(r.try_pop_n(out.begin(), count), 5U);
      EXPECT_EQ(out[4], 11);
    }
    EXPECT_EQ(r.try_push_n(in.begin(), 3), 3U);
    EXPECT_EQ(r.pop_n(out.begin(), endless), 3U);
    r.close();
    EXPECT_EQ(r.try_push_n(in.begin(), endless), 0U);
    EXPECT_EQ(r.push_n(in.begin(), endless), 0U);
    EXPECT_EQ(r.pop_n(out.begin(), endless), 0U);
  }
}

TEST(spsc_ring, moves_many_elements_that_cannot_be_copied) {
  fencepost::spsc_ring<std::unique_ptr<int>> r(4);
  std::list<std::unique_ptr<int>> in;
  for (int n = 0; n != 3; ++n) in.push_back(std::make_unique<int>(n));
  EXPECT_EQ(r.try_push_n(std::move_iterator(in.begin()), 3), 3U);
  std::vector<std::unique_ptr<int>> out(3);
  EXPECT_EQ(r.pop_n(out.begin(), 3), 3U);
  for (int n = 0; n != 3; ++n) EXPECT_EQ(*out[static_cast<std::size_t>(n)], n);
}

TEST(spsc_ring, waits_for_many) {
  fencepost::spsc_ring<int, sleepy> r(7);
  static constexpr std::size_t many = 10'000;
  std::thread producer([&r] {
    std::vector<int> in(many);
    std::iota(in.begin(), in.end(), 0);
    EXPECT_EQ(r.push_n(in.begin(), many), many);
    r.close();
    EXPECT_EQ(r.push_n(in.begin(), many), 0U);
  });
  std::vector<int> out(11);
  int expected = 0;
  while (const std::size_t some = r.pop_n(out.begin(), out.size())) {
    for (std::size_t n = 0; n != some; ++n) ASSERT_EQ(out[n], expected++);
  }
  EXPECT_EQ(expected, static_cast<int>(many));
  producer.join();
}

/// An output that takes no twos.
struct picky {
  int& count;
  picky& operator*() { return *this; }
  picky& operator++() { return *this; }
  picky& operator=(int&& element) {
    if (element == 2) throw std::runtime_error("not this");
    ++count;
    return *this;
  }
};

TEST(spsc_ring, keeps_the_elements_from_the_one_on_whose_assignment_throws) {
  fencepost::spsc_ring<int> r(4);
  const int in[] = {1, 2, 3};
  EXPECT_EQ(r.try_push_n(in, 3), 3U);
  int count = 0;
  EXPECT_THROW(r.try_pop_n(picky{count}, 3), std::runtime_error);
  EXPECT_EQ(count, 1);
  EXPECT_EQ(r.pop(), 2);
  EXPECT_EQ(r.pop(), 3);
}

TEST(spsc_ring, keeps_the_element_that_it_waited_for_if_its_assignment_throws) {
  fencepost::spsc_ring<int, sleepy> r(4);
  int count = 0;
  std::thread producer([&r] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // or it need not wait
    r.push(2);
  });
  EXPECT_THROW(r.pop_n(picky{count}, 3), std::runtime_error);
  producer.join();
  EXPECT_EQ(count, 0);
  EXPECT_EQ(r.try_pop(), 2);
}

/// Lets a ring be closed, and found empty, while an element is moved into it.
struct move_in_between {
  static inline std::atomic<bool> began{true};
  static inline std::atomic<bool> ended{true};

  move_in_between() = default;
  move_in_between(move_in_between&& /*other*/) noexcept {
    began = true;
    while (!ended) std::this_thread::yield();
  }
  move_in_between& operator=(move_in_between&& /*other*/) noexcept { return *this; }

  /// What push() returns if the ring is closed during its first move.
  template <class Ring, class Push>
  static auto closed(Ring& ring, Push push) {
    began = false;
    ended = false;
    std::thread consumer([&ring] {
      while (!began) std::this_thread::yield();
      ring.close();
      EXPECT_FALSE(ring.pop());
      ended = true;
    });
    const struct joined {
      ~joined() { thread.join(); }
      std::thread& thread;
    } at_the_end{consumer};
    return push();
  }
};

/// Its assignment is not known not to throw, and throws for a two.
struct hesitant {
  int value = 0;
  move_in_between between;

  explicit hesitant(int v) : value(v) { ++alive; }
  hesitant(hesitant&& other) noexcept
      : value(std::exchange(other.value, 0)), between(std::move(other.between)) {
    ++alive;
  }
  hesitant& operator=(hesitant&& other) {
    if (other.value == 2) throw std::runtime_error("not this");
    value = std::exchange(other.value, 0);
    return *this;
  }
  ~hesitant() { --alive; }
  static inline int alive = 0;
};

TEST(spsc_ring, gives_back_a_value_whose_assignment_may_throw_if_it_is_closed_meanwhile) {
  {
    fencepost::spsc_ring<hesitant> r(4);
    hesitant element(1);
    EXPECT_EQ(move_in_between::closed(r, [&] { return r.try_push(std::move(element)); }),
              ring_status::closed);
    EXPECT_EQ(element.value, 1);
    EXPECT_EQ(r.try_push(std::move(element)), ring_status::closed);
    EXPECT_EQ(element.value, 1);
    EXPECT_EQ(r.size(), 0U);
  }
  EXPECT_EQ(hesitant::alive, 0);
}

TEST(spsc_ring, throws_what_giving_back_throws_and_keeps_nothing) {
  {
    fencepost::spsc_ring<hesitant> r(4);
    std::list<hesitant> in;
    for (const int n : {1, 2, 3}) in.emplace_back(n);
    const auto push = [&] { return r.try_push_n(std::move_iterator(in.begin()), 3); };
    EXPECT_THROW(move_in_between::closed(r, push), std::runtime_error);
    EXPECT_EQ(in.front().value, 1);
    EXPECT_EQ(r.size(), 0U);
  }
  EXPECT_EQ(hesitant::alive, 0);
}

TEST(spsc_ring, gives_back_many_if_it_is_closed_meanwhile) {
  {
    fencepost::spsc_ring<hesitant> r(4);
    std::list<hesitant> in;
    for (const int n : {1, 3, 4}) in.emplace_back(n);
    const auto first = std::move_iterator(in.begin());
    EXPECT_EQ(move_in_between::closed(r, [&] { return r.push_n(first, 3); }), 0U);
    int expected[] = {1, 3, 4};
    EXPECT_TRUE(std::equal(in.begin(), in.end(), expected, expected + 3,
                           [](const hesitant& each, int value) { return each.value == value; }));
    EXPECT_EQ(r.push_n(first, 3), 0U);
    EXPECT_EQ(in.front().value, 1);
  }
  EXPECT_EQ(hesitant::alive, 0);
}

TEST(spsc_ring, that_never_blocks_has_the_forms_that_never_wait) {
  fencepost::spsc_ring<int, never_waiting> r(2);
  EXPECT_TRUE(r.try_push(1));
  EXPECT_TRUE(r.try_push(2));
  EXPECT_EQ(r.try_push(3), ring_status::full);
  EXPECT_EQ(r.try_pop(), 1);
  EXPECT_EQ(r.try_pop(), 2);
  int element = 0;
  EXPECT_EQ(r.try_pop(element), ring_status::empty);
}

TEST(spsc_ring, is_taken_over_from_a_process_that_was_killed_within_an_operation) {
  /// Where elements come from, or go to, when the process is killed.
  struct end {
    using value_type = int;
    using difference_type = std::ptrdiff_t;
    int operator*() const { return std::raise(SIGKILL); }
    end& operator++() { return *this; }
  };
  struct sink {
    struct place {
      void operator=(int) const { std::raise(SIGKILL); }
    };
    place operator*() const { return {}; }
    sink& operator++() { return *this; }
  };
  using shared = fencepost::basic_spsc_ring<
      int, fencepost::detail::inline_cells<fencepost::detail::plain_cell<int>, 4>,
      fencepost::futex::scope::shared, watched>;
  void* const memory =
      ::mmap(nullptr, sizeof(shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  auto* const r = new (memory) shared;
  const auto kill_within = [](auto operation) {
    const pid_t child = ::fork();
    if (child == 0) {
      operation();
      ::_exit(0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
  };
  EXPECT_TRUE(r->push(1));
  kill_within([r] { r->try_push_n(end{}, 1); });
  EXPECT_TRUE(r->push(2));
  kill_within([r] { r->try_pop_n(sink{}, 1); });
  EXPECT_EQ(r->pop(), 1);
  EXPECT_EQ(r->pop(), 2);
  kill_within([r] { r->try_push_n(end{}, 1); });
  r->~shared();
  ::munmap(memory, sizeof(shared));
}

TEST(spsc_ring, catches_two_producers_at_once) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  // A constructor that pushes as well is, for the ring, a second producer in the middle of a push.
  struct nested {
    fencepost::spsc_ring<nested, watched>* into;
    explicit nested(fencepost::spsc_ring<nested, watched>* r) : into(r) {
      if (into != nullptr) static_cast<void>(into->try_emplace(nullptr));
    }
  };
  fencepost::spsc_ring<nested, watched> r(4);
  EXPECT_DEATH(static_cast<void>(r.try_emplace(&r)),
               "spsc_ring 0x[0-9a-f]+: two threads push at once \\(thread [0-9]+\\)");
}

}  // namespace
