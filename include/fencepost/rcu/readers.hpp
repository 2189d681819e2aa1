// SPDX-License-Identifier: MIT
//
// Where threads say that they are in regions of RCU protection: each in thread-local words of its
// own, one a domain, which whoever waits for readers finds through a list.
//
// A thread enters itself in the list when it first opens a region, and takes itself out when it
// exits, in the destructor of a key of pthread_key_create(). Destructors of other keys may open
// regions after that: then the thread is in the list for as long as it is in one. They may open a
// thread's very first: it takes itself out in the next round of destructors. There are
// PTHREAD_DESTRUCTOR_ITERATIONS rounds: in the last one a thread may not open its first region.
// Whoever looks at others' words holds the list's mutex: so long they do not go. It is held
// for a walk along the list, and never while anybody is waited for. In the child of fork() there is
// nobody but the thread that forked.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <type_traits>

#include "fencepost/detail/misuse.hpp"
#include "fencepost/instrumentation.hpp"
#include "fencepost/mutex.hpp"

namespace fencepost::rcu {

// Held for short times, and by who retires only where nobody else holds it.
inline constexpr mutex_tuning never_spins{
    .pausing_rounds = 0, .yielding_rounds = 0, .overtakes = 0, .catch_misuse = false};
// In a proof any mutex is as good, and the checker knows the C library's by heart.
using short_mutex = std::conditional_t<instrumentation::checking, std::mutex,
                                       basic_mutex<unobserved, futex::scope::process, never_spins>>;
static_assert(std::is_trivially_destructible_v<short_mutex>, "may be made anew as it is");

/// How many domains a process may have at a time, the default one among them.
inline constexpr std::size_t most_domains = 8;

// A word: how many regions of the domain the thread is in, in the low bits, and above them the
// period in which it entered the outermost. Legal to tell of a region that is over; illegal to tell
// of none, or of a later period, while the thread accesses what was reachable before that period.
inline constexpr std::uint64_t depth_mask = 0xffff;
inline constexpr std::uint64_t one_period = depth_mask + 1;
inline constexpr std::uint64_t deepest = depth_mask - 1;

// What all words of a thread hold that is not in the list. It tells of regions, so that only who
// comes upon an inner region need look whether it is that, and of no period that has begun. When a
// thread exits so do the words of the domains that it is in no region of.
inline constexpr std::uint64_t not_enrolled = ~std::uint64_t{0};
// The depth of the outermost region of a thread that exits: who closes it looks, as for inner ones.
inline constexpr std::uint64_t outermost_at_exit = 2;

/// Whether whose word that is is in a region.
constexpr bool is_of_a_region(std::uint64_t word) noexcept {
  return word != not_enrolled && (word & depth_mask) != 0;
}

struct alignas(64) reader {
  // All domains of a thread in one cache line, for it alone writes them.
  std::atomic<std::uint64_t> words[most_domains] = {not_enrolled, not_enrolled, not_enrolled,
                                                    not_enrolled, not_enrolled, not_enrolled,
                                                    not_enrolled, not_enrolled};
  // In the list: of whoever holds its mutex.
  alignas(64) reader* next = nullptr;
  reader* previous = nullptr;
  // Whether the thread is in the list, and whether it has been taken out because it exits. Of the
  // thread alone.
  bool is_enrolled = false;
  bool is_exiting = false;
  // In how many blocks the thread is in which it calls no deleters, and whether it would have
  // called some. Of the thread alone.
  unsigned blocks_without_deleters = 0;
  bool has_put_off_deleters = false;

  void set_all(std::uint64_t value) noexcept {
    for (auto& word : words) word.store(value, std::memory_order_relaxed);
  }

  /// Whether the thread is in a region of any domain. For the thread itself.
  [[nodiscard]] bool is_inside() const noexcept {
    for (const auto& word : words) {
      if (is_of_a_region(word.load(std::memory_order_relaxed))) return true;
    }
    return false;
  }
};

/// What each thread has of its own.
[[gnu::visibility("default")]] inline thread_local constinit reader self;

/// The threads that have been in a region.
class reader_list {
 public:
  /// To be held by who walks along the list.
  short_mutex mutex;

  [[nodiscard]] const reader* first() const noexcept { return first_; }

  [[nodiscard]] std::size_t count() noexcept {
    const std::lock_guard looking(mutex);
    std::size_t count = 0;
    for (const reader* one = first_; one != nullptr; one = one->next) ++count;
    return count;
  }

  void add(reader& one) noexcept {
    const std::lock_guard changing(mutex);
    one.previous = nullptr;
    one.next = first_;
    if (first_ != nullptr) first_->previous = &one;
    first_ = &one;
  }

  void remove(reader& one) noexcept {
    const std::lock_guard changing(mutex);
    (one.previous == nullptr ? first_ : one.previous->next) = one.next;
    if (one.next != nullptr) one.next->previous = one.previous;
  }

  /// In the child of fork(), where there is nobody else.
  void keep_only(reader& one) noexcept {
    std::construct_at(&mutex);
    one.next = one.previous = nullptr;
    first_ = one.is_enrolled ? &one : nullptr;
  }

 private:
  reader* first_ = nullptr;
};

// One list for the whole program, also where its parts hide their symbols.
[[gnu::visibility("default")]] inline constinit reader_list readers;

/// Takes this thread out of the list.
inline void strike() noexcept {
  readers.remove(self);
  self.is_enrolled = false;
  self.set_all(not_enrolled);
}

/// When a thread exits, after the destructors of its thread-local objects.
inline void leave(void*) noexcept {
  if (self.is_inside()) misuse("rcu_domain", &self, "a thread exits within a region");
  self.is_exiting = true;
  if (self.is_enrolled) strike();
}

/// By which the system is asked to call leave().
inline pthread_key_t exit_key() noexcept {
  static const pthread_key_t key = [] {
    pthread_key_t made{};
    if (::pthread_key_create(&made, leave) != 0) {
      misuse("rcu_domain", &readers, "the program has no more keys for thread-specific data");
    }
    return made;
  }();
  return key;
}

/// Enters this thread in the list: when it opens its first region, and where it exits, each
/// outermost one. It has itself told of its exit then too, if only to see that it leaves no region
/// open: after the last round of destructors nobody is told.
[[gnu::noinline, gnu::cold]] inline void enrol() noexcept {
  if (::pthread_setspecific(exit_key(), &self) != 0 && !self.is_exiting) {
    misuse("rcu_domain", &self, "a region for which a thread cannot be enrolled");
  }
  if (!self.is_exiting) self.set_all(0);
  self.is_enrolled = true;
  readers.add(self);
}

}  // namespace fencepost::rcu
