// SPDX-License-Identifier: MIT
//
// What becomes of retired objects: they are gathered until there is a batch of them, wait for a
// heavy fence that nobody is stopped for, then for the readers, and are reclaimed.
//
//     fresh ──a batch──> begun ──its ticket is ready──> fenced ──no reader before──> reclaimed
//
// A period is begun for a batch, and a ticket taken (barrier_ticket.hpp). One batch at a time has a
// ticket that is not ready; what is retired meanwhile is the next batch, however large. Retirements
// look now and then whether it is. When eight batches have gathered behind it that is not waited
// for any longer, and a heavy fence is executed in the ticket's place: a clock that stops holds up
// so much and no more. Where there is no clock, taking a ticket is the heavy fence.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>

#include "fencepost/asymmetric_fence.hpp"
#include "fencepost/barrier_ticket.hpp"
#include "fencepost/detail/kernel.hpp"
#include "fencepost/detail/misuse.hpp"
#include "fencepost/instrumentation.hpp"
#include "fencepost/interrupt_clock.hpp"
#include "fencepost/rcu/readers.hpp"
#include "fencepost/reclamation/retired.hpp"

namespace fencepost::rcu {

/// What is to be done after a grace period. `due_period`: the one that each reader must have
/// reached.
struct scheduled : reclamation::retired {
  std::uint64_t due_period = 0;
};

/// Waits a little for a reader, longer from turn to turn.
inline void wait_for_reader(unsigned& turn) noexcept {
  // The checker has no time: to it each turn is like the first.
  if (instrumentation::checking || turn < 10) {
    kernel::yield();
  } else {
    constexpr long longest = 1'000'000;
    kernel::sleep({0, std::min(longest, 20'000L << std::min(turn - 10, 6U))});
  }
  if constexpr (!instrumentation::checking) ++turn;
}

/// The part of a domain by which objects are retired to it. A domain derives from it and has
///   begin_period()              numbers rise; who enters in the period sees what was unlinked
///   passed(period)              a heavy fence later: the last period, up to that one, that no
///                               reader is before; waits for nobody
///   wait_for_readers_before(period)   a heavy fence later
template <class Domain>
class reclaimer {
 public:
  reclaimer(const reclaimer&) = delete;
  reclaimer& operator=(const reclaimer&) = delete;

  void schedule(scheduled& one) noexcept {
    fresh_.push(&one, &one);
    // relaxed, as all that concerns the counts: they decide when somebody looks, and nothing else.
    fresh_count_.fetch_add(1, std::memory_order_relaxed);
    look_if_it_is_time();
  }

  void look_if_it_is_time() noexcept {
    if (is_time_to_look()) look();
  }

  void barrier() noexcept {
    if constexpr (catch_misuse_by_default) {
      if (is_held_by_this_thread())
        misuse("rcu_barrier()", this, "called in a deleter of the domain");
    }
    const std::lock_guard until_done(mutex_);
    holder_.store(&self, std::memory_order_relaxed);
    gather();
    // heavy: as the ticket's, for all that was gathered. Who waits is not patient.
    // Proof: rcu.no_access_after_reclamation[barrier].
    asymmetric_thread_fence_heavy();
    is_over();
    domain().wait_for_readers_before(begun_);
    reclaim_until(std::numeric_limits<std::uint64_t>::max());
    look_at_.store(batch_size_.load(std::memory_order_relaxed), std::memory_order_relaxed);
    holder_.store(nullptr, std::memory_order_relaxed);
  }

  void set_batch_size(std::size_t objects) noexcept {
    batch_size_.store(std::max<std::size_t>(objects, 1), std::memory_order_relaxed);
    look_at_.store(std::max<std::size_t>(objects, 1), std::memory_order_relaxed);
  }

  /// Whether nothing is retired that nobody has looked at.
  [[nodiscard]] bool is_fresh_empty() const noexcept { return fresh_.empty(); }

  /// In the child of fork(): who was reclaiming is not there to go on. What it had is not
  /// reclaimed.
  void go_on_without_others() noexcept {
    if (is_held_by_this_thread()) return;
    std::construct_at(&mutex_);
    if (holder_.load(std::memory_order_relaxed) != nullptr) {
      first_ = nullptr;
      ticket_.reset();
    }
    holder_.store(nullptr, std::memory_order_relaxed);
  }

 protected:
  /// With tickets by the process's clock, whatever that is at the time.
  constexpr reclaimer() noexcept = default;
  /// With tickets by that clock; null: by none.
  explicit constexpr reclaimer(const interrupt_clock* clock) noexcept
      : has_own_clock_(true), own_clock_(clock) {}
  ~reclaimer() = default;

 private:
  /// So many batches may gather behind one whose ticket is not ready.
  static constexpr std::size_t most_behind = 8;

  Domain& domain() noexcept { return static_cast<Domain&>(*this); }

  [[nodiscard]] bool is_time_to_look() const noexcept {
    return fresh_count_.load(std::memory_order_relaxed) >= look_at_.load(std::memory_order_relaxed);
  }

  // relaxed: that it is this thread only this thread writes.
  [[nodiscard]] bool is_held_by_this_thread() const noexcept {
    return holder_.load(std::memory_order_relaxed) == &self;
  }

  [[gnu::noinline]] void look() noexcept {
    if (self.blocks_without_deleters != 0) {
      self.has_put_off_deleters = true;
      return;
    }
    if (is_held_by_this_thread()) return;  // in a deleter; it looks again behind that
    while (is_time_to_look() && mutex_.try_lock()) {
      const std::lock_guard until_done(mutex_, std::adopt_lock);
      holder_.store(&self, std::memory_order_relaxed);
      advance();
      holder_.store(nullptr, std::memory_order_relaxed);
    }
  }

  void advance() noexcept {
    const std::size_t batch = batch_size_.load(std::memory_order_relaxed);
    if (!ticket_ && fresh_count_.load(std::memory_order_relaxed) >= batch) {
      gather();
      ticket_ = has_own_clock_ ? barrier_ticket::begin_by(own_clock_) : barrier_ticket::begin();
    }
    const std::size_t behind = fresh_count_.load(std::memory_order_relaxed);
    if (ticket_) {
      if (behind / most_behind >= batch) ticket_->finish();
      if (ticket_->ready()) is_over();
    }
    look_at_.store(ticket_ ? behind + std::max<std::size_t>(batch / 8, 1) : batch,
                   std::memory_order_relaxed);
    if (first_ != nullptr && static_cast<scheduled*>(first_)->due_period <= fenced_) {
      reclaim_until(domain().passed(fenced_));
    }
  }

  /// Takes what was retired and has it wait for all readers to reach the period that begins.
  void gather() noexcept {
    reclamation::retired* all = fresh_.take_all();
    fresh_count_.store(0, std::memory_order_relaxed);
    begun_ = domain().begin_period();
    while (all != nullptr) {
      auto* const one = static_cast<scheduled*>(all);
      all = all->next_retired;
      one->due_period = begun_;
      one->next_retired = nullptr;
      (first_ == nullptr ? first_ : last_->next_retired) = one;
      last_ = one;
    }
  }

  /// The heavy fence behind the period that was begun last is over.
  void is_over() noexcept {
    ticket_.reset();
    fenced_ = begun_;
  }

  /// Reclaims what is due, in the order in which it became so.
  void reclaim_until(std::uint64_t period) noexcept {
    while (first_ != nullptr && static_cast<scheduled*>(first_)->due_period <= period) {
      reclamation::retired* const one = first_;
      first_ = one->next_retired;
      one->end_retired(one);
    }
  }

  alignas(64) reclamation::retired_stack fresh_;
  std::atomic<std::size_t> fresh_count_{0};
  // Of the fresh objects: how many make it worth the while to look. Legal to be anything.
  std::atomic<std::size_t> look_at_{1000};
  std::atomic<std::size_t> batch_size_{1000};
  const bool has_own_clock_ = false;
  const interrupt_clock* const own_clock_ = nullptr;
  short_mutex mutex_;
  std::atomic<const reader*> holder_{nullptr};  // of the mutex
  // All below: of whoever holds the mutex.
  std::optional<barrier_ticket> ticket_;  // of the period begun_; none: it is over
  std::uint64_t begun_ = 0;
  std::uint64_t fenced_ = 0;               // readers may be looked at for periods up to this one
  reclamation::retired* first_ = nullptr;  // in the order of their periods
  reclamation::retired* last_ = nullptr;
};

}  // namespace fencepost::rcu
