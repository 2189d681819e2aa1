// SPDX-License-Identifier: MIT
#include "execution/options.hpp"

#include <cstdlib>
#include <cstring>

#include "graph/state_section.hpp"

namespace fencepost::checker {
namespace {

constexpr std::uint64_t kMostOfAThread = 10;  // kJump of clocks.cpp allows for no more

bool parse_races(const char* text, Options* o) {
  for (o->known_race_count = 0; o->known_race_count < kMostKnownRaces;) {
    char* end = nullptr;
    KnownRace& race = o->known_races[o->known_race_count++];
    race.pc = std::strtoull(text, &end, 16);
    if (end == text || *end != '-') return false;
    text = end + 1;
    race.other_pc = std::strtoull(text, &end, 16);
    if (end == text) return false;
    if (*end == '\0') return true;
    if (*end != ',') return false;
    text = end + 1;
  }
  return false;
}

bool parse_one(const char* key, const char* value, Options* o) {
  const auto is = [key](const char* name) { return std::strcmp(key, name) == 0; };
  char* end = nullptr;
  const double number = std::strtod(value, &end);
  const bool numeric = end != value && *end == '\0' && number >= 0;
  if (is("model")) {
    o->model = find_model(value);
    return o->model != nullptr;
  }
  if (is("known_races")) return parse_races(value, o);
  if (!numeric) return false;
  const auto integer = static_cast<std::uint64_t>(number);
  if (is("all")) {
    o->all = integer != 0;
  } else if (is("timeout")) {
    o->timeout = number;
  } else if (is("max_executions")) {
    o->max_executions = integer;
  } else if (is("max_events")) {
    if (integer < 1 || integer > kMaxEventsPerThread) return false;
    o->max_events = static_cast<std::uint32_t>(integer);
  } else if (is("many_events")) {
    if (integer < 16 || integer > kMaxEventsPerThread) return false;
    o->many_events = static_cast<std::uint32_t>(integer);
  } else if (is("timeouts")) {
    if (integer > kMostOfAThread) return false;
    o->timeouts = static_cast<unsigned>(integer);
  } else if (is("spurious")) {
    if (integer > kMostOfAThread) return false;
    o->spurious = static_cast<unsigned>(integer);
  } else if (is("weak_cas")) {
    if (integer > kMostOfAThread) return false;
    o->weak_cas = static_cast<unsigned>(integer);
  } else if (is("reuse")) {
    if (integer > kMostOfAThread) return false;
    o->reuse = static_cast<unsigned>(integer);
    o->reuse_of = Reuse::always;
  } else if (is("reuse_all")) {
    o->reuse_all = integer != 0;
  } else if (is("no_reuse")) {
    if (integer != 0) o->reuse_of = Reuse::never;
  } else if (is("no_membarrier")) {
    o->no_membarrier = integer != 0;
  } else if (is("daemons")) {
    o->daemons = integer != 0;
  } else if (is("any_exit_status")) {
    o->any_exit_status = integer != 0;
  } else if (is("leaks")) {
    o->leaks = integer != 0;
  } else if (is("symmetry")) {
    o->symmetry = integer != 0;
  } else if (is("dump")) {
    o->dump = integer != 0;
  } else if (is("rounds")) {
    o->rounds = static_cast<std::uint32_t>(integer);
  } else if (is("bounded_spins")) {
    o->bounded_spins = integer != 0;
  } else if (is("unroll")) {
    if (integer > kMaxEventsPerThread) return false;
    o->unroll = static_cast<std::uint32_t>(integer);
  } else if (is("within_bounds")) {
    o->within_bounds = integer != 0;
  } else if (is("no_bounded_spins")) {
    o->no_bounded_spins = integer != 0;
  } else if (is("keep_prefix")) {
    o->keep_prefix = integer != 0;
  } else if (is("no_prefix")) {
    o->no_prefix = integer != 0;
  } else if (is("sites")) {
    o->sites = integer != 0;
  } else if (is("coverage")) {
    o->coverage = integer != 0;
  } else if (is("progress")) {
    o->progress = number;
  } else if (is("jobs")) {
    if (integer < 1 || integer > kMostJobs) return false;
    o->jobs = static_cast<std::uint32_t>(integer);
  } else if (is("alone")) {
    o->alone = integer;
  } else if (is("sandbox")) {
    o->sandbox = integer != 0;
  } else if (is("identify")) {
    o->identify = integer != 0;
  } else if (is("part")) {
    o->part = static_cast<int>(integer);
  } else if (is("part_seconds")) {
    o->part_seconds = number;
  } else if (is("part_runs")) {
    o->part_runs = integer;
  } else if (is("split")) {
    o->split = integer != 0;
  } else if (is("probe_runs")) {
    o->probe_runs = integer;
  } else if (is("seed")) {
    o->seed = static_cast<std::uint32_t>(integer);
  } else if (is("fd")) {
    o->fd = static_cast<int>(integer);
  } else {
    return false;
  }
  return true;
}

}  // namespace

const char* parse_options(const char* text, Options* options) {
  FENCEPOST_CHECKER_STATE static char message[160];
  char copy[4096];
  if (std::strlen(text) >= sizeof copy) return "FENCEPOST_CHECK is too long";
  std::strcpy(copy, text);
  for (char *save = nullptr, *word = strtok_r(copy, " ", &save); word != nullptr;
       word = strtok_r(nullptr, " ", &save)) {
    char* equals = std::strchr(word, '=');
    if (equals != nullptr) *equals = '\0';
    if (equals == nullptr || !parse_one(word, equals + 1, options)) {
      std::strcpy(message, "FENCEPOST_CHECK: not understood: ");
      std::strncat(message, word, 60);
      return message;
    }
  }
  return nullptr;
}

}  // namespace fencepost::checker
