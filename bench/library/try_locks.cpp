// SPDX-License-Identifier: MIT
//
// Is a lock better taken by test-and-set or by compare-exchange, when 1 to 128 threads want it?
//
// MySQL bug 88399 says by compare-exchange, on AArch64 with 32 threads and more, and by acquire and
// relaxed rather than by seq_cst. The try-locks are the library's, as they ship:
//
// bare: threads try, one try after another with a pause between, until they have the lock; then
// they change four counters and give it back. Whoever has failed 100 times yields its processor,
// for the holder may be waiting for it. This is where a failed try that writes should hurt.
// event_mutex: the same section under the event mutex, which looks before it tries. This is where
// the bug has it.
//
// Thread n runs on processor n, counted round and round: more threads than processors measure the
// scheduler too. Counters besides those of resources.hpp, for one window:
//   sections_per_second       by all threads
//   failed_tries_per_section  bare: tries in vain for each that was not
#include <sched.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "fencepost/protocol/exchange.hpp"
#include "fencepost/try_lock/compare_exchange_acquire.hpp"
#include "fencepost/try_lock/compare_exchange_seq_cst.hpp"
#include "fencepost/try_lock/test_and_set.hpp"
#include "locks.hpp"
#include "resources.hpp"
#include "subject.hpp"
#include "threads.hpp"

namespace {

constexpr int thread_counts[] = {1, 2, 4, 8, 16, 32, 64, 128};

/// A lock that is nothing but tries.
template <class Try>
class bare {
 public:
  /// Returns how often it tried in vain.
  std::uint64_t lock() noexcept {
    std::uint64_t failed = 0;
    while (!Try::take(held_)) {
      if (++failed % 100 == 0)
        sched_yield();
      else
        fencepost::detail::pause();
    }
    return failed;
  }
  void unlock() noexcept { held_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> held_{false};
};

template <class Try>
class in_event_mutex {
 public:
  std::uint64_t lock() noexcept {
    mutex_.lock();
    return 0;
  }
  void unlock() noexcept { mutex_.unlock(); }

 private:
  fencepost::event_mutex<fencepost::protocol::basic_exchange<Try>,
                         fencepost::event_mutex_tuning{.catch_misuse = false}>
      mutex_;
};

template <class Lock>
struct guarded {
  alignas(64) Lock lock;
  alignas(64) std::uint64_t counters[4]{};
};

template <class Lock>
double fight(benchmark::State& state, int threads, bool tries_are_counted) {
  const auto shared = std::make_unique<guarded<Lock>>();
  std::vector<std::uint64_t> sections(static_cast<std::size_t>(threads));
  std::atomic<std::uint64_t> failed{0};
  const bench::resources used;
  const double elapsed =
      bench::run_threads(threads, bench::window_length(), [&](int n, const bench::stop_word& stop) {
        std::uint64_t done = 0;
        std::uint64_t in_vain = 0;
        std::uint64_t random = static_cast<std::uint64_t>(n) + 1;
        while (stop.load(std::memory_order_relaxed) == 0) {
          in_vain += shared->lock.lock();
          for (auto& counter : shared->counters) ++counter;
          shared->lock.unlock();
          bench::work_outside(random);
          ++done;
        }
        sections[static_cast<std::size_t>(n)] = done;
        failed.fetch_add(in_vain);
      });
  const double together = used.report(state, sections);
  // For the runner: what others do elsewhere does not matter.
  if (threads == 1) state.counters["first_processor_only"] = 1;
  state.counters["sections_per_second"] = together / elapsed;
  if (tries_are_counted)
    state.counters["failed_tries_per_section"] = static_cast<double>(failed.load()) / together;
  for (const auto counter : shared->counters)
    if (static_cast<double>(counter) != together) {
      bench::wrong(state, "the counters under the lock are not the number of sections");
      break;
    }
  return elapsed;
}

template <class Try>
void contend(const std::string& name) {
  for (const int threads : thread_counts) {
    const std::string variant = "/threads:" + std::to_string(threads) + "/" + name;
    bench::register_window("bare" + variant, [threads](benchmark::State& state) {
      return fight<bare<Try>>(state, threads, true);
    });
    bench::register_window("event_mutex" + variant, [threads](benchmark::State& state) {
      return fight<in_event_mutex<Try>>(state, threads, false);
    });
  }
}

}  // namespace

void bench::register_benchmarks() {
  contend<fencepost::try_lock::test_and_set>("test_and_set");
  contend<fencepost::try_lock::compare_exchange_seq_cst>("compare_exchange_seq_cst");
  contend<fencepost::try_lock::compare_exchange_acquire>("compare_exchange_acquire");
}
