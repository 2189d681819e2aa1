// SPDX-License-Identifier: MIT
//
// What does an increment cost while nobody waits?
//
// Every variant runs the same loop on a count in memory. Beside event counts it has what they are
// made of: an addition with and without a lock prefix's cost, a release store, and a release store
// followed by a load of another word: the least that could publish a version and notice a sleeper.
#include <atomic>
#include <cstdint>
#include <memory>

#include "fencepost/event_count.hpp"
#include "subject.hpp"

#ifdef BENCH_CONCURRENCY_KIT
#include "peers/concurrency_kit.h"
#endif

namespace {

constexpr std::int64_t batch = 1000;

template <class Count>
struct incremented {
  alignas(64) Count count;
  [[gnu::noinline]] void run(std::uint64_t increments) {
    for (std::uint64_t n = 0; n != increments; ++n) count.increment();
  }
};

/// What a flag found up would lead to: out of line, never taken.
[[gnu::noinline, gnu::cold]] void answer(std::atomic<std::uint32_t>& flag) { flag.store(0); }

struct release_store {
  alignas(64) std::atomic<std::uint32_t> version{0};
  [[gnu::noinline]] void run(std::uint64_t increments) {
    for (std::uint64_t n = 0; n != increments; ++n)
      version.store(static_cast<std::uint32_t>(n), std::memory_order_release);
  }
};

/// The producer knows the version without looking.
struct release_store_and_load {
  alignas(64) std::atomic<std::uint32_t> version{0};
  std::atomic<std::uint32_t> flag{0};
  [[gnu::noinline]] void run(std::uint64_t increments) {
    for (std::uint64_t n = 0; n != increments; ++n) {
      version.store(static_cast<std::uint32_t>(n), std::memory_order_release);
      if (flag.load(std::memory_order_relaxed) != 0) [[unlikely]]
        answer(flag);
    }
  }
};

/// The producer reads the version that it published last.
struct load_release_store_and_load {
  alignas(64) std::atomic<std::uint32_t> version{0};
  std::atomic<std::uint32_t> flag{0};
  [[gnu::noinline]] void run(std::uint64_t increments) {
    for (std::uint64_t n = 0; n != increments; ++n) {
      version.store(version.load(std::memory_order_relaxed) + 1, std::memory_order_release);
      if (flag.load(std::memory_order_relaxed) != 0) [[unlikely]]
        answer(flag);
    }
  }
};

struct atomic_add {
  alignas(64) std::atomic<std::uint32_t> count{0};
  [[gnu::noinline]] void run(std::uint64_t increments) {
    for (std::uint64_t n = 0; n != increments; ++n) count.fetch_add(1, std::memory_order_release);
  }
};

struct atomic_add_and_notify {
  alignas(64) std::atomic<std::uint32_t> count{0};
  [[gnu::noinline]] void run(std::uint64_t increments) {
    for (std::uint64_t n = 0; n != increments; ++n) {
      count.fetch_add(1, std::memory_order_release);
      count.notify_all();
    }
  }
};

#ifdef BENCH_CONCURRENCY_KIT
template <class Word, void Increments(Word*, std::uint64_t)>
struct ck_event_count {
  alignas(64) Word count = 0;
  void run(std::uint64_t increments) { Increments(&count, increments); }
};
#endif

template <class Contestant>
void contend(const char* name) {
  bench::register_loop(std::string("increment/") + name, [](benchmark::State& state) {
    const auto contestant = std::make_unique<Contestant>();
    while (state.KeepRunningBatch(batch)) contestant->run(batch);
  });
}

}  // namespace

void bench::register_benchmarks() {
  contend<incremented<fencepost::event_count>>("fencepost_event_count");
  contend<incremented<fencepost::event_count64>>("fencepost_event_count64");
  contend<incremented<fencepost::single_producer_event_count>>(
      "fencepost_single_producer_event_count");
  contend<incremented<fencepost::single_producer_event_count64>>(
      "fencepost_single_producer_event_count64");
  contend<incremented<fencepost::two_word_event_count>>("fencepost_two_word_event_count");
  contend<incremented<fencepost::two_word_event_count64>>("fencepost_two_word_event_count64");
  contend<release_store>("release_store");
  contend<release_store_and_load>("release_store_and_load");
  contend<load_release_store_and_load>("load_release_store_and_load");
  contend<atomic_add>("atomic_add");
  contend<atomic_add_and_notify>("atomic_add_and_notify");
#ifdef BENCH_CONCURRENCY_KIT
  contend<ck_event_count<std::uint32_t, ck_ec32_one_producer_increments>>("ck_ec32_one_producer");
  contend<ck_event_count<std::uint64_t, ck_ec64_one_producer_increments>>("ck_ec64_one_producer");
  contend<ck_event_count<std::uint32_t, ck_ec32_many_producers_increments>>(
      "ck_ec32_many_producers");
  contend<ck_event_count<std::uint64_t, ck_ec64_many_producers_increments>>(
      "ck_ec64_many_producers");
#endif
}
