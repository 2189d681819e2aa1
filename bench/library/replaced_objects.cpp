// SPDX-License-Identifier: MIT
//
// How many objects a second can be replaced, retired and reclaimed?
//
// One thread allocates an object, exchanges it for the one that is published and retires that one:
// alone, or while another thread on the next processor reads, protected each time. The clock runs
// until all are reclaimed. Peers that leave it to their users when to reclaim do so after a
// thousand objects, which is what ours does by itself; liburcu has a thread of its own for it.
// Counters:
//   objects_per_second
//   cpu_ns_per_object     CPU time of the whole process, without the reader's
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "reclamation.hpp"
#include "subject.hpp"

namespace {

constexpr std::uint64_t chunk = 50'000;

using clock_type = std::chrono::steady_clock;

template <class Box>
double replace(benchmark::State& state, bool is_read) {
  auto box = std::make_unique<Box>();
  std::atomic<bool> over{false};
  double reader_cpu = 0;
  std::thread reader;
  if (is_read) {
    reader = std::thread([&] {
      bench::pin(1);
      while (!over.load(std::memory_order_relaxed)) box->reads(1000);
      reader_cpu = bench::thread_cpu_seconds();
    });
  }
  double objects = 0;
  double elapsed = 0;
  const double cpu_before = bench::process_cpu_seconds();
  std::thread([&] {
    bench::pin(0);
    const auto start = clock_type::now();
    do {
      box->replaces(chunk);
      objects += chunk;
    } while (clock_type::now() - start < bench::window_length());
    over.store(true, std::memory_order_relaxed);
    if (reader.joinable()) reader.join();
    box.reset();
    elapsed = std::chrono::duration<double>(clock_type::now() - start).count();
  }).join();
  const double cpu = bench::process_cpu_seconds() - cpu_before - reader_cpu;
  state.counters["objects_per_second"] = objects / elapsed;
  state.counters["cpu_ns_per_object"] = cpu / objects * 1e9;
  return elapsed;
}

}  // namespace

void bench::register_benchmarks() {
  for_each_scheme([]<class Box>(const char* name) {
    for (const bool is_read : {false, true}) {
      register_window(std::string(is_read ? "replace_while_read/" : "replace_alone/") + name,
                      [is_read](benchmark::State& state) { return replace<Box>(state, is_read); });
    }
  });
}
