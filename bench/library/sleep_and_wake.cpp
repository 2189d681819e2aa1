// SPDX-License-Identifier: MIT
//
// How long does it take to wake a thread, and what does it burn while it waits?
//
// wake_sleeper: one thread waits on the last processor; another, on the first, leaves it alone for
// 300 microseconds, so that it sleeps however long it spins, notes the time and signals. The figure
// is the time from there to the sleeper's return. How long a processor takes to come out of its
// idle state is the machine's affair and changes from one moment to the next, so every other turn
// is a raw futex's. round_trip: two threads signal each other in turn, on one processor, where
// every wait has to sleep, or on two, where spinning pays.
//
// Counters, for one window:
//   nanoseconds         a round trip: the mean; wake_sleeper: the median
//   over_raw_futex      wake_sleeper: the same, divided by the raw futex's in the turns between
//   signal_ns           wake_sleeper: how long the call took that woke: the median
//   signal_reference_cycles
//                       the same in ticks of the time-stamp counter
//   cpu_ns_per_wake     CPU time of the waiting thread (round trips: of both) for each wait
//   cpu_over_raw_futex  wake_sleeper: the same, divided by the raw futex's
//   wakes               how many
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "fencepost/condition_variable.hpp"
#include "fencepost/detail/pause.hpp"
#include "fencepost/event_count.hpp"
#include "fencepost/futex.hpp"
#include "fencepost/mutex.hpp"
#include "subject.hpp"
#include "time_stamp.hpp"

#ifdef BENCH_CONCURRENCY_KIT
#include "peers/concurrency_kit.h"
#endif

namespace {

using clock_type = std::chrono::steady_clock;
using version = std::uint32_t;

// Each variant: value(), signal() and wait_while(value).

/// What everybody builds on: a word that is counted up, and two system calls. It calls the kernel
/// whether somebody sleeps or not.
class raw_futex {
 public:
  version value() { return word_.load(std::memory_order_acquire); }
  void signal() {
    word_.fetch_add(1, std::memory_order_release);
    syscall(SYS_futex, &word_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
  }
  void wait_while(version old) {
    while (word_.load(std::memory_order_acquire) == old)
      syscall(SYS_futex, &word_, FUTEX_WAIT_PRIVATE, old, nullptr, nullptr, 0);
  }

 private:
  std::atomic<version> word_{0};
};

class fencepost_futex {
 public:
  version value() { return word_.load(std::memory_order_acquire); }
  void signal() {
    word_.fetch_add(1, std::memory_order_release);
    fencepost::futex::wake_one(word_);
  }
  void wait_while(version old) {
    while (word_.load(std::memory_order_acquire) == old) fencepost::futex::wait(word_, old);
  }

 private:
  fencepost::futex::word word_{0};
};

template <class Count>
class counted {
 public:
  version value() { return count_.value(); }
  void signal() { count_.increment(); }
  void wait_while(version old) { count_.wait(old); }

 private:
  Count count_;
};

constexpr fencepost::event_count_tuning no_spinning{.spin_rounds = 0};

class fencepost_condition_variable {
 public:
  version value() {
    const std::lock_guard in(mutex_);
    return version_;
  }
  void signal() {
    {
      const std::lock_guard in(mutex_);
      ++version_;
    }
    changed_.notify_one();
  }
  void wait_while(version old) {
    std::unique_lock in(mutex_);
    while (version_ == old) changed_.wait(in);
  }

 private:
  fencepost::mutex mutex_;
  fencepost::condition_variable changed_;
  version version_ = 0;
};

class standard_atomic {
 public:
  version value() { return word_.load(std::memory_order_acquire); }
  void signal() {
    word_.fetch_add(1, std::memory_order_release);
    word_.notify_one();
  }
  void wait_while(version old) { word_.wait(old, std::memory_order_acquire); }

 private:
  std::atomic<version> word_{0};
};

class pthread_condition {
 public:
  version value() {
    pthread_mutex_lock(&mutex_);
    const version now = version_;
    pthread_mutex_unlock(&mutex_);
    return now;
  }
  void signal() {
    pthread_mutex_lock(&mutex_);
    ++version_;
    pthread_mutex_unlock(&mutex_);
    pthread_cond_signal(&changed_);
  }
  void wait_while(version old) {
    pthread_mutex_lock(&mutex_);
    while (version_ == old) pthread_cond_wait(&changed_, &mutex_);
    pthread_mutex_unlock(&mutex_);
  }

 private:
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t changed_ = PTHREAD_COND_INITIALIZER;
  version version_ = 0;
};

class posix_semaphore {
 public:
  posix_semaphore() { sem_init(&semaphore_, 0, 0); }
  version value() { return 0; }
  void signal() { sem_post(&semaphore_); }
  void wait_while(version) {
    while (sem_wait(&semaphore_) != 0) {
    }
  }

 private:
  sem_t semaphore_;
};

#ifdef BENCH_CONCURRENCY_KIT
template <void Increment(version*), void Wait(version*, version)>
class ck_event_count {
 public:
  version value() { return ck_ec32_current(&count_); }
  void signal() { Increment(&count_); }
  void wait_while(version old) {
    while (ck_ec32_current(&count_) == old) Wait(&count_, old);
  }

 private:
  version count_ = 0;
};
#endif

/// Two signals on cache lines of their own, and what tells the threads to stop.
template <class Signal>
struct pair {
  alignas(128) Signal ping;
  alignas(128) Signal pong;
  alignas(128) std::atomic<bool> stop{false};
  std::atomic<bool> looked{false};
};

template <class Signal>
double round_trips(benchmark::State& state, int other_processor) {
  const auto shared = std::make_unique<pair<Signal>>();
  double answering_cpu = 0;
  std::thread answering([&] {
    bench::pin(other_processor);
    const double before = bench::thread_cpu_seconds();
    version seen = shared->ping.value();
    shared->looked.store(true, std::memory_order_release);  // pairs with asking's load
    for (;;) {
      shared->ping.wait_while(seen);
      seen = shared->ping.value();
      if (shared->stop.load(std::memory_order_relaxed)) break;
      shared->pong.signal();
    }
    answering_cpu = bench::thread_cpu_seconds() - before;
  });
  std::uint64_t trips = 0;
  double elapsed = 0;
  double asking_cpu = 0;
  std::thread asking([&] {
    bench::pin(0);
    // A signal before the other one's first look would be none to it, and both would wait for ever.
    while (!shared->looked.load(std::memory_order_acquire)) std::this_thread::yield();
    const double before = bench::thread_cpu_seconds();
    const auto start = clock_type::now();
    const auto end =
        start + std::chrono::duration_cast<clock_type::duration>(bench::window_length());
    auto now = start;
    do {
      const version seen = shared->pong.value();
      shared->ping.signal();
      shared->pong.wait_while(seen);
      ++trips;
      now = clock_type::now();
    } while (now < end);
    elapsed = std::chrono::duration<double>(now - start).count();
    asking_cpu = bench::thread_cpu_seconds() - before;
    shared->stop.store(true, std::memory_order_relaxed);
    shared->ping.signal();
  });
  asking.join();
  answering.join();
  const auto count = static_cast<double>(trips);
  state.counters["nanoseconds"] = elapsed / count * 1e9;
  state.counters["cpu_ns_per_wake"] = (asking_cpu + answering_cpu) / (2 * count) * 1e9;
  state.counters["wakes"] = 2 * count;
  // For the runner: what others do elsewhere does not matter.
  if (other_processor == 0) state.counters["first_processor_only"] = 1;
  return elapsed;
}

double median(std::vector<double>& all) {
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  std::nth_element(all.begin(), middle, all.end());
  return *middle;
}

/// What one way of waiting took, wake by wake: `signals` by the thread that wakes.
struct wakes {
  std::vector<double> latencies;
  std::vector<double> signals;
  double cpu = 0;

  wakes() {
    latencies.reserve(1 << 15);
    signals.reserve(1 << 15);
  }
  [[nodiscard]] double cpu_each() const { return cpu / static_cast<double>(latencies.size()); }
};

template <class Signal>
double wake_sleeper(benchmark::State& state) {
  constexpr auto nap = std::chrono::microseconds(300);
  struct {
    alignas(128) Signal ours;
    alignas(128) raw_futex raw;
  } signals;
  // Written before the signal and read after the wake-up, in turns with `ready`.
  std::atomic<clock_type::rep> signalled{0};
  std::atomic<std::uint64_t> ready{0};
  std::atomic<bool> stop{false};
  wakes ours;
  wakes raw;
  // Whoever sleeps, or signals, does so in the same turns by the same means.
  const auto by_turns = [&](std::uint64_t turn, auto act) {
    turn % 2 == 0 ? act(signals.ours, ours) : act(signals.raw, raw);
  };
  std::thread sleeper([&] {
    bench::pin(bench::processors() - 1);
    for (std::uint64_t turn = 1; !stop.load(std::memory_order_relaxed); ++turn) {
      by_turns(turn, [&](auto& signal, wakes& mine) {
        const double before = bench::thread_cpu_seconds();
        const version seen = signal.value();
        ready.store(turn, std::memory_order_release);
        signal.wait_while(seen);
        const auto now = clock_type::now().time_since_epoch().count();
        if (stop.load(std::memory_order_relaxed)) return;
        mine.latencies.push_back(
            static_cast<double>(now - signalled.load(std::memory_order_relaxed)));
        mine.cpu += bench::thread_cpu_seconds() - before;
      });
    }
  });
  const bench::tick_rate rate;
  const auto start = clock_type::now();
  std::thread waker([&] {
    bench::pin(0);
    const auto end =
        start + std::chrono::duration_cast<clock_type::duration>(bench::window_length());
    for (std::uint64_t turn = 1;; ++turn) {
      while (ready.load(std::memory_order_acquire) != turn) std::this_thread::yield();
      const auto at = clock_type::now() + nap;
      while (clock_type::now() < at) fencepost::detail::pause();
      // However short the window, somebody is woken by either means.
      if (turn > 2 && clock_type::now() >= end) stop.store(true, std::memory_order_relaxed);
      by_turns(turn, [&](auto& signal, wakes& mine) {
        const auto before = clock_type::now().time_since_epoch().count();
        signalled.store(before, std::memory_order_relaxed);
        signal.signal();
        mine.signals.push_back(
            static_cast<double>(clock_type::now().time_since_epoch().count() - before));
      });
      if (stop.load(std::memory_order_relaxed)) break;
    }
  });
  waker.join();
  sleeper.join();
  const std::chrono::duration<double> elapsed = clock_type::now() - start;
  const double latency = median(ours.latencies);
  const double call = median(ours.signals);
  state.counters["nanoseconds"] = latency;
  state.counters["over_raw_futex"] = latency / median(raw.latencies);
  state.counters["signal_ns"] = call;
  if (const double ticks = rate.now(); ticks > 0)
    state.counters["signal_reference_cycles"] = call * 1e-9 * ticks;
  state.counters["cpu_ns_per_wake"] = ours.cpu_each() * 1e9;
  state.counters["cpu_over_raw_futex"] = ours.cpu_each() / raw.cpu_each();
  state.counters["wakes"] = static_cast<double>(ours.latencies.size());
  return elapsed.count();
}

template <class Signal>
void contend(const std::string& name) {
  bench::register_window("wake_sleeper/" + name, wake_sleeper<Signal>);
  bench::register_window("round_trip_one_processor/" + name,
                         [](benchmark::State& state) { return round_trips<Signal>(state, 0); });
  bench::register_window("round_trip_two_processors/" + name,
                         [](benchmark::State& state) { return round_trips<Signal>(state, 1); });
}

template <template <class, fencepost::futex::scope, fencepost::event_count_tuning> class Kind>
void contend_with_and_without_spinning(const std::string& name) {
  contend<counted<fencepost::basic_event_count<Kind>>>(name);
  contend<counted<
      fencepost::basic_event_count<Kind, version, fencepost::futex::scope::process, no_spinning>>>(
      name + "_no_spinning");
}

}  // namespace

void bench::register_benchmarks() {
  contend<raw_futex>("raw_futex");
  contend<fencepost_futex>("fencepost_futex");
  contend_with_and_without_spinning<fencepost::event_count_kind::many_producers>(
      "fencepost_event_count");
  contend_with_and_without_spinning<fencepost::event_count_kind::one_producer>(
      "fencepost_single_producer_event_count");
  contend_with_and_without_spinning<fencepost::event_count_kind::two_words>(
      "fencepost_two_word_event_count");
  contend<fencepost_condition_variable>("fencepost_condition_variable");
  contend<standard_atomic>("std_atomic_wait");
  contend<pthread_condition>("pthread_cond");
  contend<posix_semaphore>("posix_semaphore");
#ifdef BENCH_CONCURRENCY_KIT
  contend<ck_event_count<ck_ec32_many_producers_increment, ck_ec32_many_producers_wait>>(
      "ck_ec32_many_producers");
  contend<ck_event_count<ck_ec32_one_producer_increment, ck_ec32_one_producer_wait>>(
      "ck_ec32_one_producer");
#endif
}
