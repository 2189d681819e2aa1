// SPDX-License-Identifier: MIT
//
// What a window with several threads tells besides its main figure: how evenly the work was shared,
// and what it used of the machine.
//
// Counters, for one window and all threads of the process:
//   slowest, fastest           work of the thread that got the least done, the most
//   fairness                   slowest / fastest: 0 to 1
//   cpu_seconds                time on processors, in the kernel too
//   cpu_ns_each                nanoseconds of it for each piece of work
//   voluntary_switches         times that a thread gave its processor up, to sleep or to yield
//   involuntary_switches       times that one was taken off it
//   cycles, instructions, cache_misses
//                              where the kernel lets processes count them; the context's line
//                              "perf" says whether it does, and if not, why
#pragma once

#include <benchmark/benchmark.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "processors.hpp"

namespace bench {

/// One of the processor's event counters, over the calling thread and all that it starts from now
/// on. Counts from the beginning; reads as absent where the kernel refuses it.
class event_counter {
 public:
  explicit event_counter(std::uint64_t event) {
    open(event, 0);
    // Without privileges, what happens in the kernel is not for everybody to see.
    if (descriptor_ < 0 && (errno == EACCES || errno == EPERM)) open(event, 1);
    if (descriptor_ < 0) error_ = errno;
  }
  event_counter(const event_counter&) = delete;
  event_counter& operator=(const event_counter&) = delete;
  ~event_counter() {
    if (descriptor_ >= 0) close(descriptor_);
  }

  [[nodiscard]] bool available() const { return descriptor_ >= 0; }
  [[nodiscard]] bool kernel_too() const { return kernel_too_; }
  [[nodiscard]] int error() const { return error_; }

  /// So many events; as many as there would have been if the counter, which others may share, had
  /// counted all the time. Negative if it never did.
  [[nodiscard]] double value() const {
    struct {
      std::uint64_t value, enabled, running;
    } now{};
    if (read(descriptor_, &now, sizeof now) != sizeof now || now.running == 0) return -1;
    return static_cast<double>(now.value) * static_cast<double>(now.enabled) /
           static_cast<double>(now.running);
  }

 private:
  void open(std::uint64_t event, unsigned without_kernel) {
    perf_event_attr what{};
    what.size = sizeof what;
    what.type = PERF_TYPE_HARDWARE;
    what.config = event;
    what.inherit = 1;
    what.exclude_kernel = without_kernel;
    what.exclude_hv = 1;
    what.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    descriptor_ =
        static_cast<int>(syscall(SYS_perf_event_open, &what, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
    kernel_too_ = without_kernel == 0;
  }

  int descriptor_ = -1;
  int error_ = 0;
  bool kernel_too_ = false;
};

/// For the context: whether there are event counters here.
inline std::string perf_available() {
  const event_counter cycles(PERF_COUNT_HW_CPU_CYCLES);
  if (cycles.available())
    return cycles.kernel_too() ? "available" : "available, without the kernel";
  return std::string("not available: ") + std::strerror(cycles.error());
}

/// What this process uses from here on. To be made before the threads are.
class resources {
 public:
  /// Leaves the counters above in state.counters; `work` is what each thread got done. Returns the
  /// sum of that.
  double report(benchmark::State& state, const std::vector<std::uint64_t>& work) const {
    double all = 0;
    for (const auto one : work) all += static_cast<double>(one);
    report_used(state, all);
    report_shares(state, work);
    return all;
  }

  /// Of the counters above those of what was used; `all` is the work that all threads got done.
  void report_used(benchmark::State& state, double all) const {
    const double cpu = process_cpu_seconds() - cpu_before_;
    const rusage now = usage();
    for (std::size_t n = 0; n != events_.size(); ++n) {
      const double counted = events_[n].available() ? events_[n].value() : -1;
      if (counted >= 0) state.counters[event_names[n]] = counted;
    }
    const auto since = [](long after, long before) { return static_cast<double>(after - before); };
    state.counters["cpu_seconds"] = cpu;
    state.counters["voluntary_switches"] = since(now.ru_nvcsw, before_.ru_nvcsw);
    state.counters["involuntary_switches"] = since(now.ru_nivcsw, before_.ru_nivcsw);
    if (all != 0) state.counters["cpu_ns_each"] = cpu / all * 1e9;
  }

  /// Of the counters above those of sharing.
  static void report_shares(benchmark::State& state, const std::vector<std::uint64_t>& work) {
    const auto [slowest, fastest] = std::minmax_element(work.begin(), work.end());
    state.counters["slowest"] = static_cast<double>(*slowest);
    state.counters["fastest"] = static_cast<double>(*fastest);
    state.counters["fairness"] =
        *fastest != 0 ? static_cast<double>(*slowest) / static_cast<double>(*fastest) : 0.0;
  }

 private:
  static constexpr std::array event_names = {"cycles", "instructions", "cache_misses"};

  static rusage usage() {
    rusage now{};
    getrusage(RUSAGE_SELF, &now);
    return now;
  }

  std::array<event_counter, 3> events_{event_counter{PERF_COUNT_HW_CPU_CYCLES},
                                       event_counter{PERF_COUNT_HW_INSTRUCTIONS},
                                       event_counter{PERF_COUNT_HW_CACHE_MISSES}};
  rusage before_ = usage();
  double cpu_before_ = process_cpu_seconds();
};

}  // namespace bench
