// SPDX-License-Identifier: MIT
//
// Counters are printed as they are: rates and ages over time are for who collects them. A clock
// that is not there is a metric, too, for nobody is warned by one that is missing.
#include "inspection/metrics.hpp"

#include <cinttypes>
#include <cstdio>
#include <string>

#include "failure.hpp"
#include "fencepost/interrupt_clock.hpp"
#include "folder.hpp"
#include "kernel/program_counts.hpp"

namespace barrierd {
namespace {

using fencepost::interrupt_clock;
using fencepost::interrupt_clock_trouble;

void describe(const char* name, const char* type, const char* help) {
  std::printf("# HELP fencepost_interrupt_clock_%s %s\n# TYPE fencepost_interrupt_clock_%s %s\n",
              name, help, name, type);
}

void print_alive(bool alive) {
  describe("alive", "gauge",
           "Whether the kernel has written to the clock within a tenth of a second.");
  std::printf("fencepost_interrupt_clock_alive %d\n", alive ? 1 : 0);
}

void print_info(const interrupt_clock& clock) {
  const fencepost_clock_header& header = clock.header();
  describe("info", "gauge", "Which clock it is: its process (0: none), events and generation.");
  std::printf("fencepost_interrupt_clock_info{owner=\"%u\",hooks=\"%s\",generation=\"%" PRIu64
              "\"} 1\n",
              header.owner, (header.flags & fencepost_clock_interrupts) != 0 ? "x86" : "generic",
              static_cast<std::uint64_t>(header.generation));
  describe("looks_total", "counter", "Looks for idle processors: the virtual time.");
  std::printf("fencepost_interrupt_clock_looks_total %" PRIu64 "\n", clock.virtual_time());
  describe("calls_total", "counter", "Calls of the daemon, to wake who waits.");
  std::printf("fencepost_interrupt_clock_calls_total %" PRIu64 "\n", clock.calls());
}

/// One number of each processor that was ever seen.
template <class Value>
void print_processors(const interrupt_clock& clock, const char* name, const char* type,
                      const char* help, Value value) {
  describe(name, type, help);
  for (std::uint32_t cpu = 0; cpu < clock.slots_count(); ++cpu) {
    if (clock.stamp(cpu) == 0) continue;
    std::printf("fencepost_interrupt_clock_%s{cpu=\"%u\"} %s\n", name, cpu, value(cpu).c_str());
  }
}

std::string age_of(const interrupt_clock& clock, std::uint32_t cpu) {
  const std::uint64_t stamp = clock.stamp(cpu);
  const std::uint64_t now = interrupt_clock::now();
  char text[32];
  std::snprintf(text, sizeof text, "%.9f",
                now > stamp ? static_cast<double>(now - stamp) / 1e9 : 0.0);
  return text;
}

void print_processors(const interrupt_clock& clock) {
  const auto counts = [&](std::uint64_t interrupt_clock::counts::*which) {
    return [&clock, which](std::uint32_t cpu) { return std::to_string(clock.events(cpu).*which); };
  };
  using all = interrupt_clock::counts;
  print_processors(clock, "age_seconds", "gauge", "Since the processor last passed a full fence.",
                   [&](std::uint32_t cpu) { return age_of(clock, cpu); });
  print_processors(clock, "interrupts_total", "counter", "Interrupts that were stamped.",
                   counts(&all::interrupts));
  print_processors(clock, "switches_total", "counter", "Switches of threads.",
                   counts(&all::switches));
  print_processors(clock, "vouched_total", "counter", "How often others saw the processor idle.",
                   counts(&all::vouched));
  print_processors(clock, "nohz_full", "gauge", "Whether it may go without interrupts.",
                   [&](std::uint32_t cpu) { return std::to_string(clock.tickless(cpu) ? 1 : 0); });
}

void print_programs(const folder& at) {
  const auto programs = count_programs(at);
  if (programs.empty()) return;
  const auto each = [&](const char* name, const char* help, auto value) {
    describe(name, "counter", help);
    for (const program_counts& one : programs) {
      std::printf("fencepost_interrupt_clock_%s{program=\"%s\"} %s\n", name, one.name.c_str(),
                  value(one).c_str());
    }
  };
  each("program_missed_total", "Events that a program was not run for, because it was running.",
       [](const program_counts& one) { return std::to_string(one.missed); });
  each("program_runs_total", "Runs while kernel.bpf_stats_enabled was set.",
       [](const program_counts& one) { return std::to_string(one.runs); });
  each("program_seconds_total", "What those runs took.", [](const program_counts& one) {
    return std::to_string(static_cast<double>(one.nanoseconds) / 1e9);
  });
}

}  // namespace

int metrics(const arguments& chosen) {
  try {
    const folder at(chosen.directory, false, false);
    auto trouble = interrupt_clock_trouble::none;
    const interrupt_clock* const clock = interrupt_clock::open(at.clock().c_str(), trouble);
    if (clock == nullptr) throw failure(at.clock() + ": " + to_string(trouble));
    const bool alive = clock->alive(interrupt_clock::now());
    print_alive(alive);
    print_info(*clock);
    print_processors(*clock);
    print_programs(at);
    return alive ? 0 : 1;
  } catch (const failure&) {
    print_alive(false);
    std::fflush(stdout);
    throw;
  }
}

}  // namespace barrierd
