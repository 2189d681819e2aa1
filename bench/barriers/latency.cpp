// SPDX-License-Identifier: MIT
//
// How long does a heavy fence take, and how does that vary?
//
// One of heavy_sides.hpp, as often as a window of time allows, by one thread on the last processor.
// Between two there is a pause of random length: up to a tick of the kernel where they wait for
// ticks, so that they begin at any moment between two. Samples during which a reader was not
// running are counted and left out. One line of JSON (docs/lab/results.md); `fencepost bench
// latency` runs this in turns.
#include <getopt.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "heavy_sides.hpp"
#include "options.hpp"
#include "processors.hpp"
#include "surroundings.hpp"

namespace {

using clock_type = std::chrono::steady_clock;
using bench::heavy_side;

struct arguments {
  std::string heavy;
  double seconds = 0.5;
  bool has_readers = false;
  bool has_load = false;
};

void explain(const std::vector<heavy_side>& sides) {
  std::printf(
      "usage: latency --heavy NAME [--seconds S] [--readers] [--load]\n\n"
      "  --heavy NAME  one of: ");
  for (const heavy_side& side : sides) std::printf("%s ", side.name);
  std::printf(
      "\n  --seconds S   measure for so long (0.5)\n"
      "  --readers     beside a thread of this process on every other processor\n"
      "  --load        and with a process at nice 19 on every processor\n");
}

arguments parse(int argc, char** argv, const std::vector<heavy_side>& sides) {
  const option options[] = {
      {"heavy", required_argument, nullptr, 'y'}, {"seconds", required_argument, nullptr, 's'},
      {"readers", no_argument, nullptr, 'r'},     {"load", no_argument, nullptr, 'l'},
      {"help", no_argument, nullptr, 'h'},        {}};
  arguments found;
  for (int letter; (letter = getopt_long(argc, argv, "h", options, nullptr)) != -1;) {
    if (letter == 'y') {
      found.heavy = optarg;
    } else if (letter == 's') {
      found.seconds = bench::number("seconds", optarg, 1e-3, 3600, false);
    } else if (letter == 'r') {
      found.has_readers = true;
    } else if (letter == 'l') {
      found.has_load = true;
    } else if (letter == 'h') {
      explain(sides);
      std::exit(0);
    } else {
      bench::refuse("--help lists the options");
    }
  }
  if (optind != argc) bench::refuse(std::string("what is ") + argv[optind] + "?");
  return found;
}

const heavy_side& chosen(const std::vector<heavy_side>& sides, const std::string& name) {
  for (const heavy_side& side : sides) {
    if (name == side.name) return side;
  }
  bench::refuse("there is no heavy side called '" + name + "'; --help lists them");
}

struct samples {
  std::vector<std::uint32_t> nanoseconds;
  unsigned long not_running = 0;  // left out: a reader was not there
  double seconds = 0;
};

std::uint32_t once(const heavy_side& side) {
  const auto before = clock_type::now();
  side.once();
  const std::chrono::nanoseconds took = clock_type::now() - before;
  return static_cast<std::uint32_t>(std::min<long long>(took.count(), UINT32_MAX));
}

void compute_until(clock_type::time_point end) {
  while (clock_type::now() < end) {
  }
}

/// Samples that are thrown away: of a tenth of the time, and three at least. Returns the median.
std::uint32_t warm_up(const heavy_side& side, double seconds) {
  const auto end = clock_type::now() + std::chrono::duration<double>(seconds / 10);
  std::vector<std::uint32_t> took;
  while (took.size() < 3 || (clock_type::now() < end && took.size() < 10'000))
    took.push_back(once(side));
  std::sort(took.begin(), took.end());
  return took[took.size() / 2];
}

samples measure(const heavy_side& side, const bench::readers& readers, double seconds) {
  using namespace std::chrono_literals;
  constexpr std::chrono::nanoseconds seen_within = 1us;
  const bool waits_for_ticks = warm_up(side, seconds) > 100'000;
  const std::chrono::nanoseconds longest = waits_for_ticks ? 4ms : 20us;
  std::minstd_rand random(1);
  samples found;
  found.nanoseconds.reserve(1 << 20);
  std::vector<std::uint64_t> before(readers.size());
  std::vector<std::uint64_t> after(readers.size());
  const auto start = clock_type::now();
  const auto end = start + std::chrono::duration<double>(seconds);
  while (clock_type::now() < end && found.nanoseconds.size() != found.nanoseconds.capacity()) {
    compute_until(clock_type::now() + std::chrono::nanoseconds(random() % longest.count()));
    readers.look(before);
    compute_until(clock_type::now() + seen_within);
    const auto took = once(side);
    readers.look(after);
    bool were_running = true;
    for (std::size_t n = 0; n != before.size(); ++n) were_running &= before[n] != after[n];
    if (were_running)
      found.nanoseconds.push_back(took);
    else
      ++found.not_running;
  }
  found.seconds = std::chrono::duration<double>(clock_type::now() - start).count();
  return found;
}

/// 64 bins for each power of ten: bin n begins at 10^(n/64) nanoseconds.
void print_bins(const std::vector<std::uint32_t>& sorted) {
  const auto bin = [](std::uint32_t took) {
    return static_cast<int>(std::log10(std::max(took, 1U)) * 64);
  };
  const int first = bin(sorted.front());
  std::vector<unsigned long> counts(static_cast<std::size_t>(bin(sorted.back()) - first + 1));
  for (const std::uint32_t took : sorted) ++counts[static_cast<std::size_t>(bin(took) - first)];
  std::printf(", \"first_bin\": %d, \"bins\": [", first);
  for (std::size_t n = 0; n != counts.size(); ++n)
    std::printf("%s%lu", n == 0 ? "" : ", ", counts[n]);
  std::printf("]");
}

void print_quantiles(const std::vector<std::uint32_t>& sorted) {
  const auto last = static_cast<double>(sorted.size() - 1);
  const auto at = [&](double part) { return sorted[static_cast<std::size_t>(last * part)]; };
  std::printf(", \"median\": %u, \"p90\": %u, \"p99\": %u, \"p999\": %u, \"most\": %u", at(0.5),
              at(0.9), at(0.99), at(0.999), sorted.back());
}

}  // namespace

int main(int argc, char** argv) {
  const auto all = bench::all_heavy_sides();
  const arguments given = parse(argc, argv, all);
  const heavy_side& side = chosen(all, given.heavy);
  const int processors = bench::processors();
  if (given.has_readers && processors < 2) bench::refuse("readers need a second processor");
  const auto start = clock_type::now();
  bench::load load(given.has_load);
  bench::pin(processors - 1);
  std::printf("{\"heavy\": \"%s\", \"compiler\": \"%s\"", side.name, BENCH_COMPILER);
  if (!side.prepare()) {
    std::printf(", \"usable\": false}\n");
    return 0;
  }
  samples found;
  double reader_seconds = 0;
  double loaded_seconds = 0;
  {
    const bench::readers readers(given.has_readers);
    const double before = readers.cpu_seconds();
    const auto reading = clock_type::now();
    found = measure(side, readers, given.seconds);
    if (readers.size() != 0)
      reader_seconds = (readers.cpu_seconds() - before) / static_cast<double>(readers.size()) /
                       std::chrono::duration<double>(clock_type::now() - reading).count();
  }
  loaded_seconds =
      load.end() / processors / std::chrono::duration<double>(clock_type::now() - start).count();
  auto& times = found.nanoseconds;
  std::sort(times.begin(), times.end());
  std::printf(", \"usable\": true, \"samples\": %zu, \"not_running\": %lu", times.size(),
              found.not_running);
  std::printf(", \"reader_share\": %.4f, \"load_share\": %.4f", reader_seconds, loaded_seconds);
  if (!times.empty()) {
    print_quantiles(times);
    print_bins(times);
  }
  std::printf("}\n");
  return 0;
}
