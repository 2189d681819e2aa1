// SPDX-License-Identifier: MIT
//
// Every protocol on real threads, with a watchdog that counts lost wake-ups.
//
// The work goes in rounds. In each every thread locks and unlocks once, after a delay of its own so
// that over many rounds one thread's unlock meets another's way to sleep at every offset; then all
// wait for each other. Without the rounds a lost wake-up would heal before anybody saw it: the next
// unlock finds the flag raised.
//
// What of a thread the watchdog sees, and how it knows that a wake-up is lost, is in watchdog.hpp.
// It counts that, sets the event and the round goes on.
//
// One line of JSON for each protocol: {"protocol", "threads", "rounds", "operations", "seconds",
// "sleeps", "lost", "exclusive"}. "exclusive" says whether the counter that the mutex guards is
// right. Exit status: 0, or 3 for bad options.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "event_mutex_protocols.hpp"
#include "fencepost/event_mutex.hpp"
#include "meeting.hpp"
#include "own_processor.hpp"
#include "watchdog.hpp"

namespace {

namespace study = fencepost::study;
using steady = std::chrono::steady_clock;

struct options {
  std::vector<std::string> protocols;
  unsigned threads = 2;
  double seconds = 1;
  std::uint64_t rounds = UINT64_MAX;
  std::uint64_t until_lost = UINT64_MAX;
};

constexpr fencepost::event_mutex_tuning no_spinning{
    .sync_spin_loops = 0, .retries = 1, .catch_misuse = false};

template <class Protocol>
void run(const char* name, const options& chosen) {
  using mutex_type = fencepost::event_mutex<Protocol, no_spinning, study::watched_sleep>;
  const auto mutex = std::make_unique<mutex_type>();
  std::vector<study::sleeper> sleepers(chosen.threads);
  study::meeting all(chosen.threads);
  std::uint64_t counter = 0;
  std::uint64_t rounds = 0;
  std::atomic<std::uint64_t> lost{0};
  std::atomic<unsigned> running{chosen.threads};

  const auto begin = steady::now();
  const auto end = begin + std::chrono::duration_cast<steady::duration>(
                               std::chrono::duration<double>(chosen.seconds));
  std::vector<std::thread> threads;
  for (unsigned n = 0; n != chosen.threads; ++n) {
    threads.emplace_back([&, n] {
      study::self = &sleepers[n];
      study::move_to_processor(n);
      std::uint32_t random = 2654435761U * (n + 1);
      const auto next = [&random] {
        random ^= random << 13;
        random ^= random >> 17;
        random ^= random << 5;
        return random;
      };
      do {
        // From nothing to longer than the news of a round takes to the other processor.
        for (unsigned delay = next() % (1U << next() % 11); delay != 0; --delay) {
          std::atomic_signal_fence(std::memory_order_seq_cst);
        }
        mutex->lock();
        ++counter;
        for (unsigned delay = next() % (1U << next() % 10); delay != 0; --delay) {
          std::atomic_signal_fence(std::memory_order_seq_cst);
        }
        mutex->unlock();
      } while (all.arrive([&] {
        ++rounds;
        return rounds >= chosen.rounds || lost.load() >= chosen.until_lost ||
               (rounds % 64 == 0 && steady::now() >= end);
      }));
      running.fetch_sub(1);
    });
  }
  while (running.load() != 0) {
    std::this_thread::sleep_for(std::chrono::microseconds(500));
    // Who has arrived waits for those who sleep.
    const auto on = study::stuck(sleepers, [&] { return all.arrived(); });
    if (on.empty()) continue;
    lost.fetch_add(1);
    study::set(*on.front());
  }
  for (std::thread& one : threads) one.join();

  const double seconds = std::chrono::duration<double>(steady::now() - begin).count();
  std::uint64_t sleeps = 0;
  for (const study::sleeper& one : sleepers) sleeps += one.sleeps.load();
  const std::uint64_t operations = rounds * chosen.threads;
  std::printf(
      "{\"protocol\": \"%s\", \"threads\": %u, \"rounds\": %llu, \"operations\": %llu, "
      "\"seconds\": %.3f, \"sleeps\": %llu, \"lost\": %llu, \"exclusive\": %s}\n",
      name, chosen.threads, static_cast<unsigned long long>(rounds),
      static_cast<unsigned long long>(operations), seconds, static_cast<unsigned long long>(sleeps),
      static_cast<unsigned long long>(lost.load()), counter == operations ? "true" : "false");
  std::fflush(stdout);
}

struct entry {
  const char* name;
  void (*run)(const char*, const options&);
};

constexpr entry entries[] = {
#define FENCEPOST_ENTRY(id, type) {id, run<type>},
    FENCEPOST_EVENT_MUTEX_PROTOCOLS(FENCEPOST_ENTRY)
#undef FENCEPOST_ENTRY
};

[[noreturn]] void usage(const char* wrong) {
  std::fprintf(stderr,
               "%s\nusage: event_mutex_stress [--protocol ID]... [--threads N] [--seconds S]\n"
               "                          [--rounds N] [--until-lost N]\nprotocols:",
               wrong);
  for (const entry& one : entries) std::fprintf(stderr, " %s", one.name);
  std::fprintf(stderr, "\n");
  std::exit(3);
}

options parse(int argc, char** argv) {
  options chosen;
  for (int n = 1; n != argc; ++n) {
    const std::string_view option = argv[n];
    if (n + 1 == argc) usage("an option without its value, or an unknown one");
    char* rest = argv[++n];
    if (option == "--protocol") {
      chosen.protocols.emplace_back(argv[n]);
      continue;
    }
    if (option == "--threads")
      chosen.threads = static_cast<unsigned>(std::strtoul(rest, &rest, 10));
    else if (option == "--seconds")
      chosen.seconds = std::strtod(rest, &rest);
    else if (option == "--rounds")
      chosen.rounds = std::strtoull(rest, &rest, 10);
    else if (option == "--until-lost")
      chosen.until_lost = std::strtoull(rest, &rest, 10);
    else
      usage("unknown option");
    if (*rest != '\0') usage("a value that is not a number");
  }
  if (chosen.threads == 0 || chosen.threads > 256) usage("--threads takes 1 to 256");
  if (!(chosen.seconds > 0 && chosen.seconds < 1e6)) usage("--seconds takes a positive number");
  for (const std::string& name : chosen.protocols) {
    if (std::none_of(std::begin(entries), std::end(entries),
                     [&](const entry& one) { return name == one.name; }))
      usage("unknown protocol");
  }
  return chosen;
}

}  // namespace

int main(int argc, char** argv) {
  const options chosen = parse(argc, argv);
  for (const entry& one : entries) {
    const auto& names = chosen.protocols;
    if (names.empty() || std::find(names.begin(), names.end(), one.name) != names.end())
      one.run(one.name, chosen);
  }
  return 0;
}
