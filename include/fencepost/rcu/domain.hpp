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
#include <memory>
#include <mutex>

#include "fencepost/asymmetric_fence.hpp"
#include "fencepost/detail/misuse.hpp"
#include "fencepost/detail/no_memory.hpp"
#include "fencepost/instrumentation.hpp"
#include "fencepost/rcu/readers.hpp"
#include "fencepost/rcu/reclaimer.hpp"

namespace fencepost {

namespace rcu {

union never_destroyed;
class block_without_deleters;
void keep_only_this_thread() noexcept;

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
class rcu_domain : private rcu::reclaimer<rcu_domain> {
 public:
  /// A domain whose readers and retired objects are no business of others'. Throws std::bad_alloc
  /// when there are eight already. Source: this library.
  rcu_domain();
  /// The same, with tickets by that clock (barrier_ticket::begin_by()), which must outlive the
  /// domain; null: by none, so that each batch has a heavy fence and is reclaimed at once if nobody
  /// reads. Source: this library.
  explicit rcu_domain(const interrupt_clock* clock);
  rcu_domain(const rcu_domain&) = delete;
  rcu_domain& operator=(const rcu_domain&) = delete;
  /// Reclaims all that was retired to the domain. Nobody may be in a region of it, nor enter one.
  ~rcu_domain();

  /// Opens a region of protection, which may lie in others, 65,534 deep: what is unlinked from now
  /// on is not reclaimed before the region is closed. Wait-free, but for a thread's first region,
  /// for which it is entered in a list; the program ends if it cannot have itself told of its exit.
  /// A thread's first region may not be opened in the last round of destructors of keys of
  /// pthread_key_create(); where it has had one before, all may open more.
  /// An rcu_synchronize() that has begun after the region was opened waits for it. Source:
  /// [saferecl.rcu.domain.members].
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
  friend class rcu::block_without_deleters;
  friend class rcu::reclaimer<rcu_domain>;
  friend void rcu::keep_only_this_thread() noexcept;
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

  void open_outermost(word& own, std::uint64_t further_depth = 0) noexcept {
    // acquire: pairs with begin_period(). Who enters in a period sees what was unlinked before it
    // began. Proof: rcu.entered_again.
    open(own, entering_.load(std::memory_order_acquire) + further_depth);
    // light: what is accessed in the region is read after the word was written. Pairs with the
    // heavy fence, or the ticket, between begin_period() and the look at the words.
    // Proof: rcu.no_access_after_reclamation.
    asymmetric_thread_fence_light();
  }

  static void close(word& own, std::uint64_t now) noexcept {
    // release: the accesses of the region are over. Pairs with word_of().
    // Proof: rcu.accesses_precede_reclamation.
    own.store(now, std::memory_order_release);
  }

  /// An inner region, or the first of a thread, or any of one that exits.
  [[gnu::noinline]] void lock_inner() noexcept {
    if (!rcu::self.is_enrolled) rcu::enrol();
    word& own = rcu::self.words[index_];
    const std::uint64_t now = own.load(std::memory_order_relaxed);
    if ((now & rcu::depth_mask) == 0) return open_outermost(own);
    if (now == rcu::not_enrolled) return open_outermost(own, rcu::outermost_at_exit - 1);
    // One more would tell of another period.
    if ((now & rcu::depth_mask) == rcu::deepest) misuse("rcu_domain", this, "nested too deeply");
    open(own, now + 1);
  }

  [[gnu::noinline]] void unlock_inner() noexcept {
    word& own = rcu::self.words[index_];
    const std::uint64_t now = own.load(std::memory_order_relaxed);
    if constexpr (catch_misuse_by_default) {
      if (!rcu::is_of_a_region(now)) misuse("rcu_domain", this, "unlocked outside of a region");
    }
    if (!rcu::self.is_exiting || (now & rcu::depth_mask) != rcu::outermost_at_exit) {
      return close(own, now - 1);
    }
    close(own, rcu::not_enrolled);
    if (!rcu::self.is_inside()) rcu::strike();
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

  /// Begins a period: a heavy fence later, what this thread unlinked, or knows to be unlinked, is
  /// out of reach for readers that are outside then or entered in this period or later.
  std::uint64_t begin_period() noexcept {
    // release: pairs with lock(). Proof: rcu.entered_again.
    return (entering_.fetch_add(rcu::one_period, std::memory_order_release) & ~rcu::depth_mask) +
           rcu::one_period;
  }

  void wait_for_readers_before(std::uint64_t period) noexcept {
    std::unique_lock looking(rcu::readers.mutex);
    unsigned turn = 0;
    const rcu::reader* one = rcu::readers.first();
    while (one != nullptr) {
      if (!is_before(word_of(*one), period)) {
        one = one->next;
        continue;
      }
      // Threads come and go meanwhile. To the checker that would be a loop that changes something.
      if constexpr (!instrumentation::checking) looking.unlock();
      rcu::wait_for_reader(turn);
      if constexpr (instrumentation::checking) continue;
      looking.lock();
      one = rcu::readers.first();
    }
  }

  /// The last period that no reader is before; 0 while somebody else looks.
  [[nodiscard]] std::uint64_t passed(std::uint64_t last) const noexcept {
    const std::unique_lock looking(rcu::readers.mutex, std::try_to_lock);
    if (!looking) return 0;
    for (const rcu::reader* one = rcu::readers.first(); one != nullptr; one = one->next) {
      const std::uint64_t now = word_of(*one);
      if ((now & rcu::depth_mask) != 0) last = std::min(last, now & ~rcu::depth_mask);
    }
    return last;
  }

  /// Who waits for the readers is none of them.
  void must_be_outside() const noexcept {
    if constexpr (catch_misuse_by_default) {
      if (rcu::is_of_a_region(word_of(rcu::self))) {
        misuse("rcu_domain", this, "waits for the region that it is called in");
      }
    }
  }

  void synchronize() noexcept {
    must_be_outside();
    const std::uint64_t period = begin_period();
    // heavy: the readers' words are read after what was unlinked; a reader that is not seen in a
    // region finds it unlinked. Pairs with the light fence in lock().
    // Proof: rcu.no_access_after_reclamation[waited].
    asymmetric_thread_fence_heavy();
    wait_for_readers_before(period);
  }

  // Every reader reads this line, and only who begins a period writes to it.
  alignas(64) const std::size_t index_;
  // The word of who enters now: the period, and one region.
  std::atomic<std::uint64_t> entering_{rcu::one_period + 1};
};

namespace rcu {

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
  short_mutex mutex;
  rcu_domain* domains[most_domains];
};

// For the whole program, also where its parts hide their symbols.
[[gnu::visibility("default")]] inline constinit never_destroyed default_one;
[[gnu::visibility("default")]] inline constinit domain_table table{{}, {&default_one.domain}};

/// The place of a new domain in the table.
inline std::size_t entered(rcu_domain& one) {
  const std::lock_guard in(table.mutex);
  auto* const place = std::find(std::begin(table.domains), std::end(table.domains), nullptr);
  if (place == std::end(table.domains)) detail::no_memory();
  *place = &one;
  return static_cast<std::size_t>(place - table.domains);
}

inline void removed(std::size_t place) noexcept {
  const std::lock_guard in(table.mutex);
  table.domains[place] = nullptr;
}

/// In the child of fork().
inline void keep_only_this_thread() noexcept {
  readers.keep_only(self);
  std::construct_at(&table.mutex);
  for (rcu_domain* const one : table.domains) {
    if (one != nullptr) one->go_on_without_others();
  }
}

/// Before main(): whoever gets there first would otherwise do it among threads.
inline int prepare() noexcept {
  static_cast<void>(exit_key());
  // The checker has no fork().
  if constexpr (instrumentation::checking) return 0;
  return ::pthread_atfork(nullptr, nullptr, keep_only_this_thread);
}
[[gnu::visibility("default")]] inline const int is_prepared = prepare();

}  // namespace rcu

inline rcu_domain::rcu_domain() : index_(rcu::entered(*this)) {}

inline rcu_domain::rcu_domain(const interrupt_clock* clock)
    : reclaimer(clock), index_(rcu::entered(*this)) {}

inline rcu_domain::~rcu_domain() {
  do {
    barrier();
  } while (!is_fresh_empty());
  rcu::removed(index_);
}

inline rcu_domain& rcu_default_domain() noexcept { return rcu::default_one.domain; }

namespace rcu {

/// For the length of a block this thread calls no deleters, of whatever domain, but in
/// rcu_barrier(): for who holds locks that they may take. What it retires meanwhile is looked at
/// when the outermost such block ends, if it is the default domain's, and else by a later
/// retirement.
class [[nodiscard]] block_without_deleters {
 public:
  block_without_deleters() noexcept { ++self.blocks_without_deleters; }
  block_without_deleters(const block_without_deleters&) = delete;
  block_without_deleters& operator=(const block_without_deleters&) = delete;
  ~block_without_deleters() {
    if (--self.blocks_without_deleters == 0 && self.has_put_off_deleters) [[unlikely]]
      look_again();
  }

 private:
  [[gnu::noinline, gnu::cold]] static void look_again() noexcept {
    self.has_put_off_deleters = false;
    rcu_default_domain().look_if_it_is_time();
  }
};

}  // namespace rcu

inline std::size_t rcu_domain::index() const noexcept {
  return this == &rcu::default_one.domain ? 0 : index_;
}

inline void rcu_domain::lock() noexcept {
  word& own = rcu::self.words[index()];
  // relaxed: written by this thread alone.
  if ((own.load(std::memory_order_relaxed) & rcu::depth_mask) != 0) [[unlikely]]
    return lock_inner();
  open_outermost(own);
}

inline void rcu_domain::unlock() noexcept {
  word& own = rcu::self.words[index()];
  if ((own.load(std::memory_order_relaxed) & rcu::depth_mask) != 1) [[unlikely]]
    return unlock_inner();
  close(own, 0);
}

/// A region for the length of a block, as by std::scoped_lock, and a third cheaper: what lock() has
/// found need not be found again. So a region that is opened within it, of either kind, must be
/// closed before it; debug builds abort, but for a thread's first region. Source: this library.
class [[nodiscard]] rcu_region {
 public:
  /// As rcu_domain::lock().
  explicit rcu_region(rcu_domain& domain = rcu_default_domain()) noexcept : domain_(domain) {
    auto& own = rcu::self.words[domain.index()];
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
      if constexpr (catch_misuse_by_default) {
        if ((outermost_->load(std::memory_order_relaxed) & rcu::depth_mask) != 1) {
          misuse("rcu_region", this, "closed before a region that was opened within it");
        }
      }
      rcu_domain::close(*outermost_, 0);
    }
  }

 private:
  rcu_domain& domain_;
  std::atomic<std::uint64_t>* outermost_ = nullptr;
};

}  // namespace fencepost
