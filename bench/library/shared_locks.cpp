// SPDX-License-Identifier: MIT
//
// How much work gets done, and how evenly is it shared, when threads read under a lock that readers
// share, and sometimes write?
//
// 1, 2 or 8 threads; thread n runs on processor n, counted round and round. In a section a reader
// adds up four counters, a writer increments them, and outside are ten steps of a random number
// generator, which also says who writes: nobody, or 1 in 20. Counters besides those of
// resources.hpp, for one window:
//   sections_per_second   of all threads
// A lock that let a writer in beside others ends the program with status 1.
#include <pthread.h>

#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <vector>

#include "fencepost/shared_mutex.hpp"
#include "locks.hpp"
#include "resources.hpp"
#include "subject.hpp"
#include "threads.hpp"

namespace {

constexpr int thread_counts[] = {1, 2, 8};

/// How many sections in 1024 write.
struct mix {
  const char* name;
  std::uint32_t writes;
};
constexpr mix mixes[] = {{"reads_100", 0}, {"reads_95", 51}};

/// A lock of C++, and what it protects: four counters.
template <class Lock>
class shared_section {
 public:
  /// Returns the number of sections this thread went through before `stop` was set.
  [[gnu::noinline]] std::uint64_t read_and_write(const std::atomic<std::uint32_t>& stop,
                                                 std::uint64_t seed, std::uint32_t writes) {
    std::uint64_t done = 0;
    std::uint64_t wrote = 0;
    while (stop.load(std::memory_order_relaxed) == 0) {
      if ((seed >> 54) < writes) {
        const std::lock_guard in(lock_);
        for (auto& counter : counters_) ++counter;
        ++wrote;
      } else {
        const std::shared_lock in(lock_);
        std::uint64_t sum = 0;
        for (const auto& counter : counters_) sum += counter;
        benchmark::DoNotOptimize(sum);
      }
      bench::work_outside(seed);
      ++done;
    }
    written_.fetch_add(wrote, std::memory_order_relaxed);
    return done;
  }

  bool is_whole() const { return counters_[0] == written_ && counters_[3] == written_; }

 private:
  alignas(64) Lock lock_;
  alignas(64) std::uint64_t counters_[4]{};
  alignas(64) std::atomic<std::uint64_t> written_{0};
};

class pthread_rwlock {
 public:
  void lock() { pthread_rwlock_wrlock(&lock_); }
  void unlock() { pthread_rwlock_unlock(&lock_); }
  void lock_shared() { pthread_rwlock_rdlock(&lock_); }
  void unlock_shared() { pthread_rwlock_unlock(&lock_); }

 private:
  pthread_rwlock_t lock_ = PTHREAD_RWLOCK_INITIALIZER;
};

/// One that readers do not share: what sharing is to be worth.
class exclusive {
 public:
  void lock() { mutex_.lock(); }
  void unlock() { mutex_.unlock(); }
  void lock_shared() { mutex_.lock(); }
  void unlock_shared() { mutex_.unlock(); }

 private:
  fencepost::mutex mutex_;
};

#ifdef BENCH_ABSEIL
class abseil_shared {
 public:
  void lock() { mutex_.Lock(); }
  void unlock() { mutex_.Unlock(); }
  void lock_shared() { mutex_.ReaderLock(); }
  void unlock_shared() { mutex_.ReaderUnlock(); }

 private:
  absl::Mutex mutex_;
};
#endif

#ifdef BENCH_NSYNC
class nsync_shared {
 public:
  void lock() { nsync::nsync_mu_lock(&mutex_); }
  void unlock() { nsync::nsync_mu_unlock(&mutex_); }
  void lock_shared() { nsync::nsync_mu_rlock(&mutex_); }
  void unlock_shared() { nsync::nsync_mu_runlock(&mutex_); }

 private:
  nsync::nsync_mu mutex_ = NSYNC_MU_INIT;
};
#endif

#ifdef BENCH_RUST
/// A lock of Rust: the functions of peers/rust.h that belong to it.
template <class Section, Section* New(), void Delete(Section*),
          std::uint64_t Run(const Section*, const std::uint32_t*, std::uint64_t, std::uint32_t),
          bool IsWhole(const Section*)>
class rust_section {
 public:
  std::uint64_t read_and_write(const std::atomic<std::uint32_t>& stop, std::uint64_t seed,
                               std::uint32_t writes) {
    return Run(section_.get(), reinterpret_cast<const std::uint32_t*>(&stop), seed, writes);
  }
  bool is_whole() const { return IsWhole(section_.get()); }

 private:
  struct deleter {
    void operator()(Section* section) const { Delete(section); }
  };
  std::unique_ptr<Section, deleter> section_{New()};
};
#endif

template <class Contestant>
double run(benchmark::State& state, int threads, std::uint32_t writes) {
  const auto contestant = std::make_unique<Contestant>();
  std::vector<std::uint64_t> sections(static_cast<std::size_t>(threads));
  const bench::resources used;
  const double elapsed =
      bench::run_threads(threads, bench::window_length(), [&](int n, const bench::stop_word& stop) {
        sections[static_cast<std::size_t>(n)] =
            contestant->read_and_write(stop, static_cast<std::uint64_t>(n) + 1, writes);
      });
  state.counters["sections_per_second"] = used.report(state, sections) / elapsed;
  if (!contestant->is_whole()) bench::wrong(state, "a writer was not alone");
  return elapsed;
}

template <class Contestant>
void contend(const char* name) {
  for (const mix& one : mixes) {
    for (const int threads : thread_counts) {
      bench::register_window(
          std::string(one.name) + "/threads:" + std::to_string(threads) + "/" + name,
          [one, threads](benchmark::State& state) {
            return run<Contestant>(state, threads, one.writes);
          });
    }
  }
}

}  // namespace

void bench::register_benchmarks() {
  contend<shared_section<fencepost::shared_mutex>>("fencepost_shared_mutex");
  contend<shared_section<exclusive>>("fencepost_mutex");
  contend<shared_section<std::shared_mutex>>("std_shared_mutex");
  contend<shared_section<pthread_rwlock>>("pthread_rwlock");
#ifdef BENCH_ABSEIL
  contend<shared_section<abseil_shared>>("abseil_mutex");
#endif
#ifdef BENCH_NSYNC
  contend<shared_section<nsync_shared>>("nsync_mu");
#endif
#ifdef BENCH_RUST
  contend<
      rust_section<parking_lot_rwlock_section, parking_lot_rwlock_new, parking_lot_rwlock_delete,
                   parking_lot_rwlock_read_and_write, parking_lot_rwlock_is_whole>>(
      "parking_lot_rwlock");
  contend<rust_section<rust_std_rwlock_section, rust_std_rwlock_new, rust_std_rwlock_delete,
                       rust_std_rwlock_read_and_write, rust_std_rwlock_is_whole>>(
      "rust_std_rwlock");
#endif
}
