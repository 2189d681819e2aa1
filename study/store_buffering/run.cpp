// SPDX-License-Identifier: MIT
//
// The store-buffering shapes on real threads: how often both miss the other's store. One line of
// JSON for each: {"protocol", "rounds", "seconds", "weak"}.
//
//     store_buffering_run [--protocol ID] [--seconds S] [--rounds N] [--until-weak N]
//
// Exit status: 0, or 3 for bad options.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <thread>

#include "meeting.hpp"
#include "own_processor.hpp"
#include "store_buffering_protocols.hpp"

namespace {

using steady = std::chrono::steady_clock;

struct options {
  std::string_view protocol;
  double seconds = 1;
  std::uint64_t rounds = UINT64_MAX;
  std::uint64_t until_weak = UINT64_MAX;
};

/// Nothing else in its line of the cache.
template <class T>
struct alignas(64) alone {
  T value{};
};

/// What the two threads go through between two meetings, a pair of variables a round. They are not
/// kept in step within it: they drift, and meet at every distance.
constexpr std::size_t stretch = 256;

template <class shape>
void run(const char* name, const options& chosen) {
  const auto shapes = std::make_unique<alone<shape>[]>(stretch);
  bool seen_by[2][stretch] = {};
  fencepost::study::meeting all(2);
  std::uint64_t rounds = 0;
  std::uint64_t weak = 0;

  const auto begin = steady::now();
  const auto end = begin + std::chrono::duration_cast<steady::duration>(
                               std::chrono::duration<double>(chosen.seconds));
  const auto count = [&] {
    for (std::size_t n = 0; n != stretch; ++n) {
      weak += !seen_by[0][n] && !seen_by[1][n];
      shapes[n].value.x.store(false);
      shapes[n].value.y.store(false);
    }
    rounds += stretch;
    return rounds >= chosen.rounds || weak >= chosen.until_weak || steady::now() >= end;
  };
  const auto body = [&](unsigned who) {
    fencepost::study::move_to_processor(who);
    std::uint32_t random = 2654435761U * (who + 1);
    do {
      for (std::size_t n = 0; n != stretch; ++n) {
        random = random * 1664525U + 1013904223U;
        for (unsigned delay = (random >> 8) % (1U << (random >> 28) % 8); delay != 0; --delay) {
          std::atomic_signal_fence(std::memory_order_seq_cst);
        }
        shape& both = shapes[n].value;
        seen_by[who][n] = who == 0 ? both.y_seen_by_a() : both.x_seen_by_b();
      }
    } while (all.arrive(count));
  };
  std::thread a(body, 0U);
  std::thread b(body, 1U);
  a.join();
  b.join();
  std::printf("{\"protocol\": \"%s\", \"rounds\": %llu, \"seconds\": %.3f, \"weak\": %llu}\n", name,
              static_cast<unsigned long long>(rounds),
              std::chrono::duration<double>(steady::now() - begin).count(),
              static_cast<unsigned long long>(weak));
  std::fflush(stdout);
}

[[noreturn]] void usage() {
  std::fprintf(
      stderr,
      "usage: store_buffering_run [--protocol ID] [--seconds S] [--rounds N] [--until-weak N]\n");
  std::exit(3);
}

}  // namespace

int main(int argc, char** argv) {
  options chosen;
  for (int n = 1; n != argc; n += 2) {
    const std::string_view option = argv[n];
    if (n + 1 == argc) usage();
    char* rest = argv[n + 1];
    if (option == "--protocol") {
      chosen.protocol = rest;
      continue;
    }
    if (option == "--seconds")
      chosen.seconds = std::strtod(rest, &rest);
    else if (option == "--rounds")
      chosen.rounds = std::strtoull(rest, &rest, 10);
    else if (option == "--until-weak")
      chosen.until_weak = std::strtoull(rest, &rest, 10);
    else
      usage();
    if (*rest != '\0') usage();
  }
  if (!(chosen.seconds > 0 && chosen.seconds < 1e6)) usage();
  bool known = false;
#define FENCEPOST_ENTRY(id, type)                         \
  if (chosen.protocol.empty() || chosen.protocol == id) { \
    run<type>(id, chosen);                                \
    known = true;                                         \
  }
  FENCEPOST_STORE_BUFFERING_PROTOCOLS(FENCEPOST_ENTRY)
#undef FENCEPOST_ENTRY
  if (!known) usage();
  return 0;
}
