// SPDX-License-Identifier: MIT
#include "report.hpp"

#include <sys/utsname.h>

#include <algorithm>
#include <cstdio>

namespace bench {

namespace {

std::uint32_t quantile(const std::vector<std::uint32_t>& sorted, double part) {
  const auto last = static_cast<double>(sorted.size() - 1);
  return sorted[static_cast<std::size_t>(last * part)];
}

}  // namespace

void report_run(unsigned long rounds, unsigned dirty_lines) {
  utsname system{};
  ::uname(&system);
  const auto& all = allowed_processors();
  std::printf(
      "{\"kind\": \"run\", \"schema\": 1, \"program\": \"barriers\", \"kernel\": \"%s\", "
      "\"machine\": \"%s\", \"compiler\": \"%s\", \"processors\": [%d, %d], \"rounds\": %lu, "
      "\"dirty_lines\": %u}\n",
      system.release, system.machine, BENCH_COMPILER, all[0], all[1], rounds, dirty_lines);
  std::fflush(stdout);  // who reads it knows that the program has begun
}

std::uint32_t longest_miss(const std::vector<heavy_side>& sides) {
  std::vector<std::uint32_t> all;
  for (const heavy_side& side : sides) {
    const auto& missed = side.found.missed_nanoseconds;
    all.insert(all.end(), missed.begin(), missed.end());
  }
  std::sort(all.begin(), all.end());
  return all.empty() ? 0 : quantile(all, 0.99);
}

void report(heavy_side& side, std::uint32_t miss) {
  std::printf("{\"kind\": \"litmus\", \"heavy\": \"%s\", \"sound\": %s, \"usable\": %s", side.name,
              side.is_sound ? "true" : "false", side.is_usable ? "true" : "false");
  auto& found = side.found;
  auto& times = found.nanoseconds;
  std::sort(times.begin(), times.end());
  if (side.is_usable && !times.empty()) {
    const auto quick = std::upper_bound(times.begin(), times.end(), miss) - times.begin();
    std::printf(
        ", \"slow_threads\": %u, \"rounds\": %lu, \"overlapped\": %lu, \"quick\": %td, "
        "\"violations\": %lu, \"seconds\": %.3f, \"nanoseconds\": {\"median\": %u, "
        "\"p90\": %u, \"p99\": %u, \"most\": %u}",
        found.slow_threads, found.rounds, found.overlapped, quick, found.violations, found.seconds,
        quantile(times, 0.5), quantile(times, 0.9), quantile(times, 0.99), times.back());
  }
  std::printf("}\n");
  std::fflush(stdout);
}

namespace {

/// Whether a violation was to be had in rounds of so many slow threads.
bool shows(const std::vector<heavy_side>& sides, bool of_many) {
  return std::any_of(sides.begin(), sides.end(), [&](const heavy_side& side) {
    return !side.is_sound && (side.threads > 1) == of_many && side.found.violations != 0;
  });
}

bool was_run(const std::vector<heavy_side>& sides, bool of_many, bool is_sound) {
  return std::any_of(sides.begin(), sides.end(), [&](const heavy_side& side) {
    return side.is_sound == is_sound && (side.threads > 1) == of_many && side.found.rounds != 0;
  });
}

}  // namespace

int conclude(const std::vector<heavy_side>& sides) {
  bool holds = true;
  for (const heavy_side& side : sides) {
    if (!side.is_sound || side.found.violations == 0) continue;
    holds = false;
    std::fprintf(stderr,
                 "litmus: %s has let %lu of %lu stores pass. Do not use it on this machine: "
                 "FENCEPOST_ASYMMETRIC_FENCE=full_fences; and please report it, with the lines "
                 "above.\n",
                 side.name, side.found.violations, side.found.rounds);
  }
  bool proves = true;
  for (const bool of_many : {false, true}) {
    if (!was_run(sides, of_many, true) || shows(sides, of_many)) continue;
    proves = false;
    const bool was_asked = was_run(sides, of_many, false);
    std::fprintf(
        stderr, "litmus: %s, so zeroes%s prove nothing%s.\n",
        was_asked ? "without any heavy fence nothing was missed either"
                  : (of_many ? "`none_in_flight` was not run" : "`none` was not run"),
        of_many ? " of many threads" : "",
        was_asked ? " here; try more --rounds, other --lines, or a machine with less to do" : "");
  }
  std::printf("{\"kind\": \"verdict\", \"holds\": %s, \"shows\": %s}\n", holds ? "true" : "false",
              proves ? "true" : "false");
  return holds ? 0 : 1;
}

}  // namespace bench
