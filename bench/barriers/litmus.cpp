// SPDX-License-Identifier: MIT
//
// What does each heavy fence order on this machine, and what does it cost while the other side is
// running?
//
// The heavy sides take turns, a few milliseconds each, so that whatever happens on the machine
// happens to all. What is done is described in store_buffering.hpp, what is written in
// docs/lab/results.md.
#include <getopt.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "heavy_sides.hpp"
#include "options.hpp"
#include "processors.hpp"
#include "report.hpp"

namespace {

using bench::heavy_side;
using bench::number;
using bench::refuse;

struct arguments {
  unsigned long rounds = 300'000;
  double seconds = 20;
  unsigned lines = 16;
  std::vector<std::string> heavy;
};

void explain(const std::vector<heavy_side>& sides) {
  std::printf(
      "usage: litmus [--rounds N] [--seconds S] [--lines N] [--heavy NAME]…\n\n"
      "  --rounds N    of each heavy side (300000)\n"
      "  --seconds S   for each at most (20)\n"
      "  --lines N     cache lines that are dirtied before the store, 0 to %u (16)\n"
      "  --heavy NAME  this one; may be repeated (all):\n\n",
      bench::most_dirty_lines);
  for (const heavy_side& side : sides) std::printf("    %-24s%s\n", side.name, side.what);
  std::printf("\nExit status: 0, 1 if a heavy side let a store pass that must not, 2 otherwise.\n");
}

arguments parse(int argc, char** argv, const std::vector<heavy_side>& sides) {
  const option options[] = {
      {"rounds", required_argument, nullptr, 'r'}, {"seconds", required_argument, nullptr, 's'},
      {"lines", required_argument, nullptr, 'l'},  {"heavy", required_argument, nullptr, 'y'},
      {"help", no_argument, nullptr, 'h'},         {}};
  arguments found;
  for (int letter; (letter = getopt_long(argc, argv, "h", options, nullptr)) != -1;) {
    if (letter == 'r') {
      found.rounds = static_cast<unsigned long>(number("rounds", optarg, 1, 1e9, true));
    } else if (letter == 's') {
      found.seconds = number("seconds", optarg, 1e-3, 86'400, false);
    } else if (letter == 'l') {
      found.lines =
          static_cast<unsigned>(number("lines", optarg, 0, bench::most_dirty_lines, true));
    } else if (letter == 'y') {
      found.heavy.emplace_back(optarg);
    } else if (letter == 'h') {
      explain(sides);
      std::exit(0);
    } else {
      refuse("--help lists the options");
    }
  }
  if (optind != argc) refuse(std::string("what is ") + argv[optind] + "? --help lists the options");
  return found;
}

/// Those that were asked for, in their order.
std::vector<heavy_side> chosen(std::vector<heavy_side> sides, const arguments& given) {
  if (given.heavy.empty()) return sides;
  for (const std::string& name : given.heavy) {
    if (std::none_of(sides.begin(), sides.end(), [&](const auto& one) { return name == one.name; }))
      refuse("there is no heavy side called " + name + "; --help lists them");
  }
  std::erase_if(sides, [&](const auto& one) {
    return std::find(given.heavy.begin(), given.heavy.end(), one.name) == given.heavy.end();
  });
  return sides;
}

volatile sig_atomic_t was_interrupted = 0;

bool is_done(const heavy_side& side, const arguments& given) {
  return was_interrupted != 0 || !side.is_usable || side.found.rounds == given.rounds ||
         side.found.seconds >= given.seconds;
}

void run_in_turns(std::vector<heavy_side>& sides, const arguments& given, bool last) {
  for (bool is_over = false; !is_over;) {
    is_over = true;
    for (heavy_side& side : sides) {
      const bool is_last = side.name == std::string_view("full_fences");
      if (is_last != last || is_done(side, given)) continue;
      side.is_usable = side.prepare();
      if (!side.is_usable) continue;
      // Starting many threads takes time, too.
      const double turn = side.threads == 1 ? 0.02 : 0.5;
      side.run(side.found, given.rounds - side.found.rounds,
               std::chrono::duration<double>(std::min(turn, given.seconds)));
      is_over = false;
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  auto all = bench::all_heavy_sides();
  const arguments given = parse(argc, argv, all);
  auto sides = chosen(std::move(all), given);
  if (bench::processors() < 2) refuse("two processors are needed, and this process may use one");
  if (!bench::pin(1)) refuse("this process may not choose its processor");
  for (heavy_side& side : sides) {
    side.found.dirty_lines = given.lines;
    side.found.slow_threads = side.threads;
  }
  // Whoever ends it early still hears what was found.
  for (const int signal : {SIGINT, SIGTERM}) ::signal(signal, [](int) { was_interrupted = 1; });
  bench::report_run(given.rounds, given.lines);
  // From full fences there is no way back.
  for (const bool last : {false, true}) run_in_turns(sides, given, last);
  const auto miss = bench::longest_miss(sides);
  for (heavy_side& side : sides) bench::report(side, miss);
  return bench::conclude(sides);
}
