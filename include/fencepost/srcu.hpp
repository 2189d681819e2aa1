// SPDX-License-Identifier: MIT
//
// Sleepable read-copy update: RCU whose regions belong to no thread.
//
//     fencepost::srcu_domain domain;
//
//     fencepost::srcu_region reading(domain);       // a value: into a coroutine's frame, a task, …
//     use(shared.load(std::memory_order_acquire)->value);
//     reading.close();                              // in whatever thread, or by its destructor
//
//     node* old = shared.exchange(new_node);
//     old->retire({}, domain);                      // or rcu_synchronize(domain); delete old;
//
// What rcu.hpp says of regions, of objects that are retired and of who waits is true here, but for
// this:
// * No thread is registered, and nothing is thread-local. A region may be opened in one thread and
//   closed in another; threads may come and go, and exit while regions that they opened are open.
// * A region costs two additions with a lock prefix, where an rcu_region costs two stores. They are
//   on a cache line of the processor, for each domain, so that readers do not disturb each other.
// * Who sleeps in a region delays only what was retired to this domain: have one for each structure
//   whose readers sleep. There is no default domain, and no limit to how many there are.
// * A region is never an inner one: each is counted by itself.
//
// How it works. Each processor has two counters of open regions. A region adds to one of those of
// the processor that it is opened on, and the same one is taken down at the end: which one of the
// two, the phase says. Who waits, behind a heavy fence, looks until each counter was zero at some
// moment: the regions that were open at the fence are then closed. So that there is such a moment
// though regions are opened all the time, the counters of the phase that nobody enters are looked
// at first; then the phase is changed, and then the others are looked at.
//
// fork(): the regions that other threads had open stay open in the child, and whoever was waiting
// is not there to go on. The child of a process with several threads must not use the domain.
//
// Source: P. McKenney, "Sleepable RCU" (LWN.net, 2006), and Linux' srcu_read_lock(), whose regions
// have two counters that only rise, to be added up, where these have one that falls, too, and is
// looked at by itself.
#pragma once

#include "fencepost/language.hpp"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "fencepost/asymmetric_fence.hpp"
#include "fencepost/instrumentation.hpp"
#include "fencepost/rcu.hpp"

namespace fencepost {

/// What regions are opened in, and objects retired to. Source: this library.
class srcu_domain : private rcu::reclaimer<srcu_domain> {
 public:
  /// Allocates a cache line for each processor. Throws std::bad_alloc.
  srcu_domain() = default;
  /// The same, with tickets by that clock, as rcu_domain's.
  explicit srcu_domain(const interrupt_clock* clock) : reclaimer(clock) {}
  srcu_domain(const srcu_domain&) = delete;
  srcu_domain& operator=(const srcu_domain&) = delete;
  /// Reclaims all that was retired to the domain. No region of it may be open, nor be opened.
  ~srcu_domain() {
    do {
      barrier();
    } while (!is_fresh_empty());
  }

 private:
  friend class srcu_region;
  friend class rcu::reclaimer<srcu_domain>;
  friend void rcu_synchronize(srcu_domain&) noexcept;
  friend void rcu_barrier(srcu_domain&) noexcept;
  friend void rcu_batch_size(std::size_t, srcu_domain&) noexcept;
  template <class T, class D>
  friend class rcu_obj_base;
  template <class T, class D, class Domain>
  friend void rcu_retire(T*, D, Domain&);

  using counter = std::atomic<std::uint64_t>;

  struct alignas(64) processor {
    // Legal to count a region that is over; illegal not to count one while it is accessed in.
    counter regions[2] = {};
  };

  counter& entered() noexcept {
    // relaxed: either phase is right, as is the processor that this thread is on no more.
    const unsigned phase = phase_.load(std::memory_order_relaxed);
    const auto cpu = static_cast<std::size_t>(std::max(::sched_getcpu(), 0));
    counter& one = processors_[cpu & (count_ - 1)].regions[phase];
    one.fetch_add(1, std::memory_order_relaxed);
    // light: what is accessed in the region is read after it was counted. Pairs with the heavy
    // fence, or the ticket, between begin_period() and the look at the counters.
    // Proof: srcu.no_access_after_reclamation.
    asymmetric_thread_fence_light();
    return one;
  }

  static void leave(counter& one) noexcept {
    // release: the accesses of the region are over. Pairs with are_closed().
    // Proof: srcu.accesses_precede_reclamation.
    one.fetch_sub(1, std::memory_order_release);
  }

  std::uint64_t begin_period() noexcept {
    // release: who waits for a later period waits for this one, too, with what was unlinked before
    // it. Pairs with the same of that one, and the fence behind it. Proof: srcu.one_waits_for_both.
    return periods_.fetch_add(1, std::memory_order_release) + 1;
  }

  /// The last period up to that one for which somebody has seen all counters at zero.
  std::uint64_t passed(std::uint64_t last) noexcept {
    const std::unique_lock looking(looking_, std::try_to_lock);
    if (!looking) return 0;
    look_for(last);
    return std::min(passed_, last);
  }

  void wait_for_readers_before(std::uint64_t period) noexcept {
    std::unique_lock looking(looking_);
    for (unsigned turn = 0; !look_for(period);) {
      // Others look meanwhile. To the checker that would be a loop that changes something.
      if constexpr (!instrumentation::checking) looking.unlock();
      rcu::wait_for_reader(turn);
      if constexpr (!instrumentation::checking) looking.lock();
    }
  }

  /// Goes on looking at counters, from where somebody stopped. Whether that period has passed.
  bool look_for(std::uint64_t period) noexcept {
    while (passed_ < period) {
      if (looked_for_ == 0) {
        looked_for_ = period;
        has_changed_phase_ = false;
        next_ = 0;
      }
      if (!are_closed()) return false;
      if (has_changed_phase_) {
        passed_ = std::exchange(looked_for_, 0);
      } else {
        phase_.fetch_xor(1, std::memory_order_relaxed);
        has_changed_phase_ = true;
        next_ = 0;
      }
    }
    return true;
  }

  /// Whether all counters of the phase that nobody enters have been zero.
  bool are_closed() noexcept {
    const unsigned phase = phase_.load(std::memory_order_relaxed) ^ 1;
    for (; next_ != count_; ++next_) {
      // acquire: what was done in the regions comes before what follows. Pairs with leave().
      // Proof: srcu.accesses_precede_reclamation.
      if (processors_[next_].regions[phase].load(std::memory_order_acquire) != 0) return false;
    }
    return true;
  }

  void synchronize() noexcept {
    const std::uint64_t period = begin_period();
    // heavy: the counters are read after what was unlinked. Pairs with the light fence in
    // entered(). Proof: srcu.no_access_after_reclamation[waited].
    asymmetric_thread_fence_heavy();
    wait_for_readers_before(period);
  }

  // Read by all, and written once a period. A power of two, about as many as there are processors.
  const std::size_t count_ = instrumentation::checking
                                 ? 1
                                 : std::bit_ceil(std::max(std::thread::hardware_concurrency(), 1U));
  const std::unique_ptr<processor[]> processors_ = std::make_unique<processor[]>(count_);
  std::atomic<unsigned> phase_{0};

  alignas(64) std::atomic<std::uint64_t> periods_{0};
  rcu::short_mutex looking_;
  // All below: of whoever holds the mutex.
  std::uint64_t passed_ = 0;
  std::uint64_t looked_for_ = 0;  // 0: none
  bool has_changed_phase_ = false;
  std::size_t next_ = 0;  // the first processor whose counter has not been zero
};

/// A region of protection, or none. Used by one thread at a time. Source: this library.
class [[nodiscard]] srcu_region {
 public:
  /// None.
  srcu_region() noexcept = default;
  /// Opens one: what is unlinked from now on is not reclaimed before it is closed. Wait-free.
  explicit srcu_region(srcu_domain& domain) noexcept : counted_(&domain.entered()) {}
  srcu_region(srcu_region&& other) noexcept : counted_(std::exchange(other.counted_, nullptr)) {}
  srcu_region& operator=(srcu_region&& other) noexcept {
    srcu_region(std::move(other)).swap(*this);
    return *this;
  }
  /// Closes it.
  ~srcu_region() { close(); }

  [[nodiscard]] bool is_open() const noexcept { return counted_ != nullptr; }

  /// Closes it, if it is open: what was accessed happens before what waited for it. Wait-free.
  void close() noexcept {
    if (counted_ != nullptr) srcu_domain::leave(*std::exchange(counted_, nullptr));
  }

  void swap(srcu_region& other) noexcept { std::swap(counted_, other.counted_); }

 private:
  std::atomic<std::uint64_t>* counted_ = nullptr;
};

/// As for an rcu_domain. Not where a region of the domain is open that waits for this call.
inline void rcu_synchronize(srcu_domain& domain) noexcept { domain.synchronize(); }

/// As for an rcu_domain.
inline void rcu_barrier(srcu_domain& domain) noexcept { domain.barrier(); }

/// As for an rcu_domain.
inline void rcu_batch_size(std::size_t objects, srcu_domain& domain) noexcept {
  domain.set_batch_size(objects);
}

}  // namespace fencepost
