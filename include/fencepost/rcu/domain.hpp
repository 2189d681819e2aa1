// SPDX-License-Identifier: MIT
//
// A domain of RCU: what its readers do, how a grace period is told, and what waits for one.
#pragma once

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <type_traits>

#include "fencepost/asymmetric_fence.hpp"
#include "fencepost/instrumentation.hpp"
#include "fencepost/kernel.hpp"
#include "fencepost/misuse.hpp"
#include "fencepost/mutex.hpp"
#include "fencepost/rcu/readers.hpp"
#include "fencepost/reclamation/retired.hpp"

namespace fencepost {

namespace rcu {

/// What is to be done after a grace period. `due`: the period that each reader must have reached.
struct scheduled : reclamation::retired {
  std::uint64_t due_period = 0;
};

// Held while somebody sees what can be reclaimed and does it. Whoever retires only tries it.
inline constexpr mutex_tuning never_spins{
    .pausing_rounds = 0, .yielding_rounds = 0, .overtakes = 0, .catch_misuse = false};
using reclaimers_mutex = basic_mutex<unobserved, futex::scope::process, never_spins>;

union never_destroyed;
void free_records_of_others() noexcept;

/// Waits a little for a reader, longer from turn to turn.
inline void wait_for_reader(unsigned turn) noexcept {
  if (turn < 10) return kernel::yield();
  constexpr long longest = 1'000'000;
  kernel::sleep({0, std::min(longest, 20'000L << std::min(turn - 10, 6U))});
}

}  // namespace rcu

class rcu_domain;
/// The domain of whoever names none; there as long as anything runs. Source:
/// [saferecl.rcu.domain.func].
rcu_domain& rcu_default_domain() noexcept;

template <class T, class D = std::default_delete<T>>
void rcu_retire(T* object, D deleter = D(), rcu_domain& domain = rcu_default_domain());

/// What readers protect themselves with, and writers wait for; a Lockable class. The interface is
/// that of C++26, [saferecl.rcu.domain], which has the default domain alone; here a program may
/// have others, eight in all.
class rcu_domain {
 public:
  /// A domain whose readers and retired objects are no business of others'. Throws std::bad_alloc
  /// when there are eight already. Source: this library.
  rcu_domain();
  rcu_domain(const rcu_domain&) = delete;
  rcu_domain& operator=(const rcu_domain&) = delete;
  /// Reclaims all that was retired to the domain. Nobody may be in a region of it, nor enter one.
  ~rcu_domain();

  /// Opens a region of protection, which may lie in others, 65,535 deep: what is unlinked from now
  /// on is not reclaimed before the region is closed. Wait-free, but for a thread's first region,
  /// which allocates; without memory the program ends. An rcu_synchronize() that has begun after
  /// the region was opened waits for it. Source: [saferecl.rcu.domain.members].
  void lock() noexcept;

  /// As lock(); true. Source: [saferecl.rcu.domain.members].
  bool try_lock() noexcept {
    lock();
    return true;
  }

  /// Closes the region that this thread opened last. Its accesses happen before what waited for it.
  /// Wait-free. In debug builds it aborts where there is none. Source:
  /// [saferecl.rcu.domain.members].
  void unlock() noexcept;

 private:
  friend class rcu_region;
  friend union rcu::never_destroyed;
  friend void rcu::free_records_of_others() noexcept;
  friend void rcu_synchronize(rcu_domain&) noexcept;
  friend void rcu_barrier(rcu_domain&) noexcept;
  friend void rcu_batch_size(std::size_t, rcu_domain&) noexcept;
  template <class T, class D>
  friend class rcu_obj_base;
  template <class T, class D>
  friend void rcu_retire(T*, D, rcu_domain&);

  explicit constexpr rcu_domain(std::size_t index) noexcept : index_(index) {}

  using word = std::atomic<std::uint64_t>;

  /// A constant where it is known at compile time that this is the default domain.
  [[nodiscard]] std::size_t index() const noexcept;

  static void open(word& own, std::uint64_t now) noexcept {
    // release: who sees this thread in a later region takes the ones before for closed. Pairs with
    // word_of(). Proof: rcu.entered_again.
    own.store(now, std::memory_order_release);
  }

  void open_outermost(word& own) noexcept {
    // acquire: pairs with begin_period(). Who enters in a period sees what was unlinked before it
    // began. Proof: rcu.entered_again.
    open(own, entering_.load(std::memory_order_acquire));
    // light: what is accessed in the region is read after the word was written. Pairs with the
    // heavy fence in begin_period(). Proof: rcu.no_access_after_reclamation.
    asymmetric_thread_fence_light();
  }

  static void close(word& own, std::uint64_t now) noexcept {
    // release: the accesses of the region are over. Pairs with word_of().
    // Proof: rcu.accesses_precede_reclamation.
    own.store(now, std::memory_order_release);
  }

  /// An inner region, or the first of a thread.
  [[gnu::noinline]] void lock_inner() noexcept {
    rcu::reader* record = rcu::self.record;
    if (record == &rcu::nobody) record = &rcu::enrolled();
    word& own = record->words[index_];
    const std::uint64_t now = own.load(std::memory_order_relaxed);
    if ((now & rcu::depth_mask) == 0) return open_outermost(own);
    open(own, now + 1);
  }

  /// Of an inner region, or in a destructor that runs after the record has been left to others.
  [[gnu::noinline]] void unlock_inner() noexcept {
    rcu::reader* record = rcu::self.record;
    const bool is_late = record == &rcu::nobody;
    if (is_late) record = rcu::self.late;
    if (record == nullptr) misuse("rcu_domain", this, "unlocked outside of a region");
    word& own = record->words[index_];
    const std::uint64_t now = own.load(std::memory_order_relaxed);
    if constexpr (catch_misuse_by_default) {
      if ((now & rcu::depth_mask) == 0) misuse("rcu_domain", this, "unlocked outside of a region");
    }
    close(own, now - 1);
    if (is_late) rcu::self.leave_late();
  }

  [[nodiscard]] std::uint64_t word_of(const rcu::reader& record) const noexcept {
    // acquire: pairs with the stores of the reader: what it did in regions that are closed comes
    // before what follows. Proof: rcu.accesses_precede_reclamation.
    return record.words[index_].load(std::memory_order_acquire);
  }

  /// Whether somebody is in a region of an earlier period.
  static bool is_before(std::uint64_t word, std::uint64_t period) noexcept {
    return (word & rcu::depth_mask) != 0 && (word & ~rcu::depth_mask) < period;
  }

  /// Begins a period. What this thread unlinked, or knows to be unlinked, is out of reach for
  /// readers that are outside now or entered in this period or later.
  std::uint64_t begin_period() noexcept {
    // release: pairs with lock(). Proof: rcu.entered_again.
    const std::uint64_t now =
        (entering_.fetch_add(rcu::one_period, std::memory_order_release) & ~rcu::depth_mask) +
        rcu::one_period;
    // heavy: the readers' words are read after what was unlinked; a reader that is not seen in a
    // region finds it unlinked. Pairs with the light fence in lock().
    // Proof: rcu.no_access_after_reclamation.
    asymmetric_thread_fence_heavy();
    return now;
  }

  void wait_for_readers_before(std::uint64_t period) noexcept {
    for (const rcu::reader* one = rcu::readers.all(); one != nullptr; one = one->next) {
      for (unsigned turn = 0; is_before(word_of(*one), period);) {
        rcu::wait_for_reader(turn);
        // The checker has no time: to it each turn is like the first.
        if constexpr (!instrumentation::checking) ++turn;
      }
    }
  }

  /// The earliest period in which somebody is who is in a region.
  [[nodiscard]] std::uint64_t earliest_reader() const noexcept {
    std::uint64_t earliest = std::numeric_limits<std::uint64_t>::max();
    for (const rcu::reader* one = rcu::readers.all(); one != nullptr; one = one->next) {
      const std::uint64_t word = word_of(*one);
      if ((word & rcu::depth_mask) != 0) earliest = std::min(earliest, word & ~rcu::depth_mask);
    }
    return earliest;
  }

  void synchronize() noexcept {
    if constexpr (catch_misuse_by_default) {
      const rcu::reader* const own = rcu::self.record;
      if (own != &rcu::nobody && (word_of(*own) & rcu::depth_mask) != 0) {
        misuse("rcu_domain", this, "waits for the region that it is called in");
      }
    }
    wait_for_readers_before(begin_period());
  }

  void schedule(rcu::scheduled& one) noexcept {
    fresh_.push(&one, &one);
    // relaxed, as all that concerns the count: it decides when somebody looks, and nothing else.
    fresh_count_.fetch_add(1, std::memory_order_relaxed);
    if (is_batch()) reclaim_some();
  }

  [[nodiscard]] bool is_batch() const noexcept {
    return fresh_count_.load(std::memory_order_relaxed) >=
           batch_size_.load(std::memory_order_relaxed);
  }

  [[gnu::noinline]] void reclaim_some() noexcept {
    // Not where somebody does already: this thread itself, perhaps, in a deleter.
    while (is_batch() && mutex_.try_lock()) {
      const std::lock_guard until_done(mutex_, std::adopt_lock);
      holder_ = &rcu::self;
      gather();
      reclaim_until(earliest_reader());
      holder_ = nullptr;
    }
  }

  void barrier() noexcept {
    const std::lock_guard until_done(mutex_);
    holder_ = &rcu::self;
    wait_for_readers_before(gather());
    reclaim_until(std::numeric_limits<std::uint64_t>::max());
    holder_ = nullptr;
  }

  /// Takes what was retired and has it wait for all readers to reach the period that begins.
  std::uint64_t gather() noexcept {
    reclamation::retired* all = fresh_.take_all();
    fresh_count_.store(0, std::memory_order_relaxed);
    const std::uint64_t period = begin_period();
    while (all != nullptr) {
      auto* const one = static_cast<rcu::scheduled*>(all);
      all = all->next_retired;
      one->due_period = period;
      one->next_retired = nullptr;
      (first_ == nullptr ? first_ : last_->next_retired) = one;
      last_ = one;
    }
    return period;
  }

  /// Reclaims what is due, in the order in which it became so.
  void reclaim_until(std::uint64_t period) noexcept {
    while (first_ != nullptr && static_cast<rcu::scheduled*>(first_)->due_period <= period) {
      reclamation::retired* const one = first_;
      first_ = one->next_retired;
      one->end_retired(one);
    }
  }

  /// In the child of fork(): who was reclaiming is not there to go on. What it had is not
  /// reclaimed.
  void go_on_without_others() noexcept {
    if (holder_ == &rcu::self) return;
    std::construct_at(&mutex_);
    if (holder_ != nullptr) first_ = nullptr;
    holder_ = nullptr;
  }

  const std::size_t index_;
  // The word of who enters now: the period, and one region.
  std::atomic<std::uint64_t> entering_{rcu::one_period + 1};

  alignas(64) reclamation::retired_stack fresh_;
  std::atomic<std::size_t> fresh_count_{0};
  std::atomic<std::size_t> batch_size_{1000};
  rcu::reclaimers_mutex mutex_;
  // All below: of whoever holds the mutex.
  const void* holder_ = nullptr;
  reclamation::retired* first_ = nullptr;  // in the order of their periods
  reclamation::retired* last_ = nullptr;
};

namespace rcu {

static_assert(std::is_trivially_destructible_v<reclaimers_mutex>, "may be made anew as it is");

/// The default domain may be used as long as anything runs.
union never_destroyed {
  constexpr never_destroyed() noexcept : domain(std::size_t{0}) {}
  never_destroyed(const never_destroyed&) = delete;
  never_destroyed& operator=(const never_destroyed&) = delete;
  ~never_destroyed() {}
  rcu_domain domain;
};

/// Which domains there are.
struct domain_table {
  reclaimers_mutex mutex;
  rcu_domain* domains[most_domains];
};

// For the whole program, also where its parts hide their symbols.
[[gnu::visibility("default")]] inline constinit never_destroyed default_one;
[[gnu::visibility("default")]] inline constinit domain_table table{{}, {&default_one.domain}};

/// The place of a new domain in the table.
inline std::size_t entered(rcu_domain& one) {
  const std::lock_guard in(table.mutex);
  auto* const place = std::find(std::begin(table.domains), std::end(table.domains), nullptr);
  if (place == std::end(table.domains)) throw std::bad_alloc();
  *place = &one;
  return static_cast<std::size_t>(place - table.domains);
}

inline void removed(std::size_t place) noexcept {
  const std::lock_guard in(table.mutex);
  table.domains[place] = nullptr;
}

/// In the child of fork().
inline void free_records_of_others() noexcept {
  readers.keep_only(&self, [](reader& one) {
    for (auto& word : one.words) word.store(0, std::memory_order_relaxed);
  });
  std::construct_at(&table.mutex);
  for (rcu_domain* const one : table.domains) {
    if (one != nullptr) one->go_on_without_others();
  }
}

// The checker has no fork().
[[gnu::visibility("default")]] inline const int fork_handler =
    instrumentation::checking ? 0 : ::pthread_atfork(nullptr, nullptr, free_records_of_others);

}  // namespace rcu

inline rcu_domain::rcu_domain() : index_(rcu::entered(*this)) {}

inline rcu_domain::~rcu_domain() {
  do {
    barrier();
  } while (!fresh_.empty());
  rcu::removed(index_);
}

inline rcu_domain& rcu_default_domain() noexcept { return rcu::default_one.domain; }

inline std::size_t rcu_domain::index() const noexcept {
  return this == &rcu::default_one.domain ? 0 : index_;
}

inline void rcu_domain::lock() noexcept {
  word& own = rcu::self.record->words[index()];
  // relaxed: written by this thread alone.
  if ((own.load(std::memory_order_relaxed) & rcu::depth_mask) != 0) [[unlikely]]
    return lock_inner();
  open_outermost(own);
}

inline void rcu_domain::unlock() noexcept {
  word& own = rcu::self.record->words[index()];
  if ((own.load(std::memory_order_relaxed) & rcu::depth_mask) != 1) [[unlikely]]
    return unlock_inner();
  close(own, 0);
}

/// A region for the length of a block, as by std::scoped_lock, and a third cheaper: what lock() has
/// found need not be found again. Source: this library.
class [[nodiscard]] rcu_region {
 public:
  /// As rcu_domain::lock().
  explicit rcu_region(rcu_domain& domain = rcu_default_domain()) noexcept : domain_(domain) {
    auto& own = rcu::self.record->words[domain.index()];
    // relaxed: written by this thread alone.
    if ((own.load(std::memory_order_relaxed) & rcu::depth_mask) != 0) [[unlikely]] {
      domain.lock_inner();
    } else {
      domain.open_outermost(own);
      outermost_ = &own;
    }
  }
  rcu_region(const rcu_region&) = delete;
  rcu_region& operator=(const rcu_region&) = delete;
  /// As rcu_domain::unlock().
  ~rcu_region() {
    if (outermost_ == nullptr) [[unlikely]] {
      domain_.unlock();
    } else {
      rcu_domain::close(*outermost_, 0);
    }
  }

 private:
  rcu_domain& domain_;
  std::atomic<std::uint64_t>* outermost_ = nullptr;
};

}  // namespace fencepost
