// SPDX-License-Identifier: MIT
#include "inspection/status.hpp"

#include <bpf/bpf.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/privileges.hpp"
#include "failure.hpp"
#include "fencepost/interrupt_clock.hpp"
#include "folder.hpp"
#include "kernel/program_counts.hpp"

namespace barrierd {
namespace {

using fencepost::interrupt_clock;
using fencepost::interrupt_clock_trouble;

void sleep_for(double seconds) {
  timespec left{static_cast<time_t>(seconds),
                static_cast<long>((seconds - std::floor(seconds)) * 1e9)};
  while (::nanosleep(&left, &left) != 0 && errno == EINTR) continue;
}

/// How many bytes the first letter of the text has in UTF-8; 0: it is none.
std::size_t letter(std::string_view text) {
  const auto byte = [&](std::size_t n) { return static_cast<unsigned char>(text[n]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xf0 ? 4U : first >= 0xe0 ? 3U : 2U;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  for (std::size_t n = 1; n != length; ++n) {
    if ((byte(n) & 0xc0) != 0x80) return 0;
  }
  // Longer than it need be, a half of a pair in UTF-16, and beyond the last one.
  const unsigned char second = byte(1);
  if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f)) return 0;
  if ((first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f)) return 0;
  return length;
}

/// A path as a string of JSON; what is no text in it as U+FFFD.
std::string quoted(std::string_view path) {
  std::string text = "\"";
  while (!path.empty()) {
    const char c = path[0];
    const std::size_t length = letter(path);
    if (length == 0) {
      text += "\\ufffd";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(c));
      text += escaped;
    } else {
      if (c == '"' || c == '\\') text += '\\';
      text += path.substr(0, length);
    }
    path.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return text + "\"";
}

void print_header(const folder& at, const interrupt_clock& clock, bool alive) {
  const fencepost_clock_header& header = clock.header();
  std::printf("{\"clock\": %s, \"alive\": %s, \"generation\": %" PRIu64 ", \"owner\": %u, ",
              quoted(at.clock()).c_str(), alive ? "true" : "false",
              static_cast<std::uint64_t>(header.generation), header.owner);
  std::printf("\"hooks\": \"%s\", \"nohz_full\": %s, \"rescan_ns\": %u, ",
              (header.flags & fencepost_clock_interrupts) != 0 ? "x86" : "generic",
              clock.tickless() ? "true" : "false", header.rescan);
  std::printf("\"wakes\": %s, ", at.leads_to_wakeups() ? "true" : "false");
}

/// `start`: a time since when nobody has asked which processors are off.
void print_processors(const interrupt_clock& clock, std::uint64_t start, double seconds,
                      const std::vector<interrupt_clock::counts>& before) {
  // The stamps first: an age is of the moment at which it was read.
  std::vector<std::uint64_t> stamps;
  for (std::uint32_t cpu = 0; cpu < clock.slots_count(); ++cpu) stamps.push_back(clock.stamp(cpu));
  const std::uint64_t now = interrupt_clock::now();
  std::printf("\"cpus\": [");
  for (std::uint32_t cpu = 0; cpu < clock.slots_count(); ++cpu) {
    const auto after = clock.events(cpu);
    const auto rate = [&](std::uint64_t one, std::uint64_t other) {
      return static_cast<double>(other - one) / seconds;
    };
    std::printf("%s{\"cpu\": %u, \"age_ns\": ", cpu == 0 ? "" : ", ", cpu);
    if (stamps[cpu] == 0) {
      std::printf("null");
    } else {
      std::printf("%" PRIu64, now > stamps[cpu] ? now - stamps[cpu] : 0);
    }
    std::printf(", \"interrupts_per_s\": %.1f, \"switches_per_s\": %.1f, \"vouched_per_s\": %.1f, ",
                rate(before[cpu].interrupts, after.interrupts),
                rate(before[cpu].switches, after.switches),
                rate(before[cpu].vouched, after.vouched));
    std::printf("\"nohz_full\": %s, ", clock.tickless(cpu) ? "true" : "false");
    std::printf("\"online\": %s}",
                fencepost::processors::offline.off_after(start, cpu) ? "false" : "true");
  }
  std::printf("]");
}

void print_programs(const std::vector<program_counts>& before,
                    const std::vector<program_counts>& after, double seconds, bool costs) {
  if (after.empty() || before.size() != after.size()) {
    std::printf(", \"programs\": null, \"cores\": null}\n");
    return;
  }
  std::printf(", \"programs\": [");
  double busy = 0;
  for (std::size_t i = 0; i < after.size(); ++i) {
    const double runs = static_cast<double>(after[i].runs - before[i].runs);
    const double time = static_cast<double>(after[i].nanoseconds - before[i].nanoseconds);
    busy += time;
    std::printf("%s{\"program\": \"%s\", \"missed\": %" PRIu64, i == 0 ? "" : ", ",
                after[i].name.c_str(), after[i].missed);
    if (costs) {
      std::printf(", \"runs_per_s\": %.1f, \"ns_per_run\": ", runs / seconds);
      if (runs > 0) {
        std::printf("%.1f", time / runs);
      } else {
        std::printf("null");
      }
    }
    std::printf("}");
  }
  std::printf("], \"cores\": ");
  if (costs) {
    std::printf("%.6f}\n", busy / (seconds * 1e9));
  } else {
    std::printf("null}\n");
  }
}

}  // namespace

int status(const arguments& chosen) {
  const folder at(chosen.directory, false, false);
  auto trouble = interrupt_clock_trouble::none;
  const interrupt_clock* const clock = interrupt_clock::open(at.clock().c_str(), trouble);
  if (clock == nullptr) throw failure(at.clock() + ": " + to_string(trouble));
  // The kernel counts runs and time only while somebody asks for it.
  const int counting = may_administer() ? bpf_enable_stats(BPF_STATS_RUN_TIME) : -1;
  const auto programs = count_programs(at);
  std::vector<interrupt_clock::counts> events;
  for (std::uint32_t cpu = 0; cpu < clock->slots_count(); ++cpu) {
    events.push_back(clock->events(cpu));
  }
  const std::uint64_t start = interrupt_clock::now();
  sleep_for(chosen.seconds);
  const auto programs_after = count_programs(at);
  const double seconds = static_cast<double>(interrupt_clock::now() - start) / 1e9;
  const bool alive = clock->alive(interrupt_clock::now());
  print_header(at, *clock, alive);
  std::printf("\"seconds\": %.3f, ", seconds);
  print_processors(*clock, start, seconds, events);
  print_programs(programs, programs_after, seconds, counting >= 0);
  if (counting >= 0) ::close(counting);
  return alive ? 0 : 1;
}

}  // namespace barrierd
