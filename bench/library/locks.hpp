// SPDX-License-Identifier: MIT
//
// The locks that are compared, ours and the peers, each with two loops: lock and unlock alone, and
// the short section that several threads fight for. Locks that C++ can call are wrapped as Lock
// with lock() and unlock(); those of Rust and of Concurrency Kit bring the same two loops compiled
// in their own language, so that no lock pays for a call that its users would not pay for.
//
// Each lock has a cache line to itself, and so has what it protects.
#pragma once

#include <benchmark/benchmark.h>
#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

#include "fencepost/detail/pause.hpp"
#include "fencepost/event_mutex.hpp"
#include "fencepost/futex_mutex.hpp"
#include "fencepost/mutex.hpp"
#include "fencepost/protocol/asymmetric.hpp"
#include "fencepost/protocol/exchange.hpp"
#include "fencepost/protocol/seq_cst.hpp"
#include "fencepost/spin_mutex.hpp"

#ifdef BENCH_ABSEIL
#include <absl/synchronization/mutex.h>
#endif
#ifdef BENCH_NSYNC
#include <nsync_mu.h>
#endif
#ifdef BENCH_CONCURRENCY_KIT
#include "peers/concurrency_kit.h"
#endif
#ifdef BENCH_RUST
#include "peers/rust.h"
#endif

namespace bench {

/// What stands between two sections: ten steps of a linear congruential generator.
inline void work_outside(std::uint64_t& state) {
  for (int step = 0; step != 10; ++step) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    asm volatile("" : "+r"(state));
  }
}

/// A lock of C++ or C, and what it protects: four counters.
template <class Lock>
class section {
 public:
  [[gnu::noinline]] void pairs(std::uint64_t count) {
    for (std::uint64_t n = 0; n != count; ++n) {
      lock_.lock();
      lock_.unlock();
    }
  }

  /// Returns the number of sections this thread went through before `stop` was set.
  [[gnu::noinline]] std::uint64_t fight(const std::atomic<std::uint32_t>& stop,
                                        std::uint64_t seed) {
    std::uint64_t done = 0;
    while (stop.load(std::memory_order_relaxed) == 0) {
      lock_.lock();
      for (auto& counter : counters_) ++counter;
      lock_.unlock();
      work_outside(seed);
      ++done;
    }
    return done;
  }

 private:
  alignas(64) Lock lock_;
  alignas(64) std::uint64_t counters_[4]{};
};

/// What nothing costs: the loop itself. Only for lock and unlock without threads.
struct no_lock {
  void lock() noexcept { asm volatile("" ::: "memory"); }
  void unlock() noexcept { asm volatile("" ::: "memory"); }
};

/// What a spin lock costs at best: one exchange, one store. Not fair, and deaf to the scheduler.
class bare_spin_lock {
 public:
  void lock() noexcept {
    while (held_.exchange(1, std::memory_order_acquire) != 0)
      [[unlikely]] while (held_.load(std::memory_order_relaxed) != 0) fencepost::detail::pause();
  }
  void unlock() noexcept { held_.store(0, std::memory_order_release); }

 private:
  std::atomic<std::uint32_t> held_{0};
};

class pthread_mutex {
 public:
  void lock() { pthread_mutex_lock(&mutex_); }
  void unlock() { pthread_mutex_unlock(&mutex_); }

 private:
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
};

class pthread_spin {
 public:
  pthread_spin() { pthread_spin_init(&lock_, PTHREAD_PROCESS_PRIVATE); }
  void lock() { pthread_spin_lock(&lock_); }
  void unlock() { pthread_spin_unlock(&lock_); }

 private:
  pthread_spinlock_t lock_;
};

#ifdef BENCH_ABSEIL
class abseil_mutex {
 public:
  void lock() { mutex_.Lock(); }
  void unlock() { mutex_.Unlock(); }

 private:
  absl::Mutex mutex_;
};
#endif

#ifdef BENCH_NSYNC
class nsync_mutex {
 public:
  void lock() { nsync::nsync_mu_lock(&mutex_); }
  void unlock() { nsync::nsync_mu_unlock(&mutex_); }

 private:
  nsync::nsync_mu mutex_ = NSYNC_MU_INIT;
};
#endif

#ifdef BENCH_CONCURRENCY_KIT
class ck_spinlock {
 public:
  void pairs(std::uint64_t count) { ck_spinlock_pairs(&lock_, count); }
  std::uint64_t fight(const std::atomic<std::uint32_t>& stop, std::uint64_t seed) {
    return ck_spinlock_fight(&lock_, counters_, reinterpret_cast<const std::uint32_t*>(&stop),
                             seed);
  }

 private:
  alignas(64) unsigned lock_ = 0;
  alignas(64) std::uint64_t counters_[4]{};
};
#endif

#ifdef BENCH_RUST
/// A lock of Rust: the functions of peers/rust.h that belong to it.
template <class Section, Section* New(), void Delete(Section*),
          void Pairs(const Section*, std::uint64_t),
          std::uint64_t Fight(const Section*, const std::uint32_t*, std::uint64_t)>
class rust_lock {
 public:
  void pairs(std::uint64_t count) { Pairs(section_.get(), count); }
  std::uint64_t fight(const std::atomic<std::uint32_t>& stop, std::uint64_t seed) {
    return Fight(section_.get(), reinterpret_cast<const std::uint32_t*>(&stop), seed);
  }

 private:
  struct deleter {
    void operator()(Section* section) const { Delete(section); }
  };
  std::unique_ptr<Section, deleter> section_{New()};
};
#endif

/// Calls f.template operator()<Contestant>("name") for each lock that is compiled in.
template <class F>
void for_each_lock(F f) {
  f.template operator()<section<fencepost::mutex>>("fencepost_mutex");
  f.template operator()<section<fencepost::futex_mutex>>("fencepost_futex_mutex");
  f.template operator()<section<fencepost::spin_mutex>>("fencepost_spin_mutex");
  f.template operator()<section<fencepost::event_mutex<fencepost::protocol::asymmetric>>>(
      "fencepost_event_mutex_asymmetric");
  f.template operator()<section<fencepost::event_mutex<fencepost::protocol::exchange>>>(
      "fencepost_event_mutex_exchange");
  f.template operator()<section<fencepost::event_mutex<fencepost::protocol::seq_cst>>>(
      "fencepost_event_mutex_seq_cst");
  f.template operator()<section<bare_spin_lock>>("bare_spin_lock");
  f.template operator()<section<pthread_spin>>("pthread_spinlock");
  f.template operator()<section<pthread_mutex>>("pthread_mutex");
  f.template operator()<section<std::mutex>>("std_mutex");
#ifdef BENCH_ABSEIL
  f.template operator()<section<abseil_mutex>>("abseil_mutex");
#endif
#ifdef BENCH_NSYNC
  f.template operator()<section<nsync_mutex>>("nsync_mu");
#endif
#ifdef BENCH_CONCURRENCY_KIT
  f.template operator()<ck_spinlock>("ck_spinlock_fas");
#endif
#ifdef BENCH_RUST
  f.template operator()<rust_lock<parking_lot_section, parking_lot_new, parking_lot_delete,
                                  parking_lot_pairs, parking_lot_fight>>("parking_lot");
  f.template
  operator()<rust_lock<parking_lot_0_12_section, parking_lot_0_12_new, parking_lot_0_12_delete,
                       parking_lot_0_12_pairs, parking_lot_0_12_fight>>("parking_lot_0_12");
  f.template operator()<
      rust_lock<rust_std_section, rust_std_new, rust_std_delete, rust_std_pairs, rust_std_fight>>(
      "rust_std_mutex");
#endif
}

}  // namespace bench
