// SPDX-License-Identifier: MIT
//
// How fast do N threads get through M sections each, when a section is the CRC-32 of 16 KiB?
//
// The benchmark of "ARM's LSE (for atomics) and MySQL", 4 August 2020: a spin mutex, N threads,
// each of which takes it M times, computes and gives it back. Sections do not run side by side, so
// that more threads can only cost. M is chosen so that a window lasts as long as it should, by what
// the computation takes alone.
//
// spin_compare_exchange_FLAGS is that article's mutex; on AArch64 it is compiled with LSE, without
// and with outline atomics, which is what the article compares. nothing_shared is no lock: each
// thread computes for itself.
//
// Counters besides those of resources.hpp, for one window:
//   sections_per_second   N times M, over the time until the last thread has ended
//   slowest, fastest, fairness
//                         of what each thread had got done when the first one had ended
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "crc32_spin_flag_sets.hpp"
#include "flag_sets/crc32_lock.hpp"
#include "flag_sets/crc32_section.hpp"
#include "locks.hpp"
#include "resources.hpp"
#include "subject.hpp"
#include "threads.hpp"

#define FENCEPOST_DECLARE(name, flags) extern const bench::spin_functions spin_##name;
BENCH_FLAG_SETS(FENCEPOST_DECLARE)
#undef FENCEPOST_DECLARE

namespace {

constexpr int thread_counts[] = {1, 2, 4, 8, 16, 32, 64, 128};

template <const bench::spin_functions& Functions>
class spin_compare_exchange {
 public:
  void lock() { Functions.lock(taken_); }
  void unlock() { Functions.unlock(taken_); }

 private:
  std::atomic<bool> taken_{false};
};

const bench::crc32_block block;

std::uint32_t compute() {
  // Not a constant for the compiler.
  const auto* bytes = &block.bytes;
  asm volatile("" : "+r"(bytes)::"memory");
  return bench::crc32(*bytes);
}

/// Seconds that one computation takes alone: the least of several.
double alone() {
  using clock = std::chrono::steady_clock;
  double least = 1;
  for (int n = 0; n != 8; ++n) {
    const auto start = clock::now();
    asm volatile("" ::"r"(compute()));
    least = std::min(least, std::chrono::duration<double>(clock::now() - start).count());
  }
  return std::max(least, 1e-6);
}

template <class Lock>
struct guarded {
  alignas(64) Lock lock;
  /// Under the lock, if that is one.
  alignas(64) std::uint64_t sections = 0;
};

struct alignas(64) progress {
  std::atomic<std::uint64_t> sections{0};
};

template <class Lock>
double take_turns(benchmark::State& state, int threads, bool excludes) {
  const auto count = static_cast<std::size_t>(threads);
  const auto shared = std::make_unique<guarded<Lock>>();
  const auto done = std::make_unique<progress[]>(count);
  std::vector<std::uint64_t> when_one_had_ended(count);
  std::atomic<bool> ended{false};
  std::atomic<bool> wrong_sum{false};
  const std::uint32_t right_sum = compute();
  const double in_a_window = bench::window_length().count() / alone();
  const auto rounds = std::max(std::uint64_t{2}, static_cast<std::uint64_t>(in_a_window / threads));

  const bench::resources used;
  const double elapsed = bench::run_to_the_end(threads, [&](int n) {
    auto& mine = done[static_cast<std::size_t>(n)].sections;
    for (std::uint64_t round = 0; round != rounds; ++round) {
      shared->lock.lock();
      const bool right = compute() == right_sum;
      if (excludes) ++shared->sections;
      shared->lock.unlock();
      if (!right) wrong_sum.store(true);
      mine.store(round + 1, std::memory_order_relaxed);
    }
    if (ended.exchange(true)) return;
    for (std::size_t other = 0; other != count; ++other)
      when_one_had_ended[other] = done[other].sections.load(std::memory_order_relaxed);
  });
  const double all = static_cast<double>(rounds) * threads;
  used.report_used(state, all);
  bench::resources::report_shares(state, when_one_had_ended);
  // For the runner: what others do elsewhere does not matter.
  if (threads == 1) state.counters["first_processor_only"] = 1;
  state.counters["sections_per_second"] = all / elapsed;
  if (wrong_sum) bench::wrong(state, "a CRC-32 came out wrong");
  if (excludes && static_cast<double>(shared->sections) != all)
    bench::wrong(state, "the counter under the lock is not the number of sections");
  return elapsed;
}

template <class Lock>
void contend(const std::string& name, bool excludes = true) {
  for (const int threads : thread_counts)
    bench::register_window("crc32_16KiB/threads:" + std::to_string(threads) + "/" + name,
                           [threads, excludes](benchmark::State& state) {
                             return take_turns<Lock>(state, threads, excludes);
                           });
}

}  // namespace

void bench::register_benchmarks() {
#define FENCEPOST_CONTEND(name, flags) \
  contend<spin_compare_exchange<spin_##name>>("spin_compare_exchange_" #name);
  BENCH_FLAG_SETS(FENCEPOST_CONTEND)
#undef FENCEPOST_CONTEND
  contend<fencepost::spin_mutex>("fencepost_spin_mutex");
  contend<fencepost::futex_mutex>("fencepost_futex_mutex");
  contend<fencepost::mutex>("fencepost_mutex");
  contend<fencepost::event_mutex<fencepost::protocol::exchange>>("fencepost_event_mutex_exchange");
  contend<pthread_spin>("pthread_spinlock");
  contend<pthread_mutex>("pthread_mutex");
  contend<no_lock>("nothing_shared", false);
}
