// SPDX-License-Identifier: MIT
#include "report.hpp"

#include <sys/utsname.h>

#include <algorithm>
#include <cstdio>
#include <string_view>

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
}

void report(heavy_side& side) {
  std::printf("{\"kind\": \"litmus\", \"heavy\": \"%s\", \"sound\": %s, \"usable\": %s", side.name,
              side.is_sound ? "true" : "false", side.is_usable ? "true" : "false");
  auto& found = side.found;
  if (side.is_usable) {
    std::printf(", \"rounds\": %lu, \"violations\": %lu, \"seconds\": %.3f", found.rounds,
                found.violations, found.seconds);
  }
  auto& times = found.nanoseconds;
  std::sort(times.begin(), times.end());
  if (!times.empty() && times.back() != 0) {
    std::printf(", \"nanoseconds\": {\"median\": %u, \"p90\": %u, \"p99\": %u, \"most\": %u}",
                quantile(times, 0.5), quantile(times, 0.9), quantile(times, 0.99), times.back());
  }
  std::printf("}\n");
  std::fflush(stdout);
}

int conclude(const std::vector<heavy_side>& sides) {
  bool holds = true;
  bool was_asked = false;
  bool shows = false;
  for (const heavy_side& side : sides) {
    const bool is_violated = side.found.violations != 0;
    if (side.is_sound && is_violated) {
      holds = false;
      std::fprintf(stderr,
                   "litmus: %s has let %lu of %lu stores pass. Do not use it on this machine: "
                   "FENCEPOST_ASYMMETRIC_FENCE=full_fences; and please report it, with the lines "
                   "above.\n",
                   side.name, side.found.violations, side.found.rounds);
    }
    if (side.name == std::string_view("none")) {
      was_asked = side.found.rounds != 0;
      shows = is_violated;
    }
  }
  if (!shows) {
    std::fprintf(
        stderr, "litmus: %s, so zeroes prove nothing%s.\n",
        was_asked ? "without any heavy fence nothing was missed either" : "`none` was not run",
        was_asked ? " here; try more --rounds, other --lines, or a machine with less to do" : "");
  }
  std::printf("{\"kind\": \"verdict\", \"holds\": %s, \"shows\": %s}\n", holds ? "true" : "false",
              shows ? "true" : "false");
  return holds ? 0 : 1;
}

}  // namespace bench
