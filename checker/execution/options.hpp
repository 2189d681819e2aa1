// SPDX-License-Identifier: MIT
// What the command line asked for, as passed in the environment variable FENCEPOST_CHECK.
#pragma once

#include <cstdint>

#include "execution/lifetimes/reuse.hpp"
#include "model/model.hpp"

namespace fencepost::checker {

inline constexpr unsigned kMostJobs = 256;
inline constexpr unsigned kMostKnownRaces = 64;

// Where two accesses race, in either order.
struct KnownRace {
  std::uint64_t pc;
  std::uint64_t other_pc;
};

struct Options {
  const Model* model = &kRc11;
  bool all = false;    // go on after a violation and count
  double timeout = 0;  // seconds, 0: none
  std::uint64_t max_executions = 0;
  std::uint32_t max_events = 10000;  // of one thread
  std::uint32_t many_events = 250;   // ... after which those with fewer are looked at first
  // How often each thread's ...
  unsigned timeouts = 0;  // timed waits may time out
  unsigned spurious = 0;  // waits may return without a wake-up
  unsigned weak_cas = 0;  // compare_exchange_weak may fail for no reason
  unsigned reuse = 1;     // allocations may be given what was freed,
  Reuse reuse_of = Reuse::where_compared;
  bool reuse_all = false;      // ... any of it, and not the last that each thread has freed
  bool no_membarrier = false;  // the kernel does not have the system call
  bool leaks = false;
  bool symmetry = false;          // of executions that exchange identical threads, one
  bool daemons = false;           // whoever waits when main has returned may wait for ever
  bool any_exit_status = false;   // one other than 0 is no violation
  bool dump = false;              // write every execution
  std::uint32_t rounds = 0;       // after how many a loop is cut, seen or not; 0: see rounds.cpp
  bool bounded_spins = false;     // rounds that change a counter only are passed at once
  std::uint32_t unroll = 0;       // how often a loop may turn with events, 0: as often as it does
  bool within_bounds = false;     // ... which is all that is asked for
  bool no_bounded_spins = false;  // ... not even where that is proved to leave nothing out
  bool keep_prefix = false;       // what main does before any thread is not repeated, be it little,
  bool no_prefix = false;         // ... or is, be it much
  bool sites = false;             // write which atomic operations are called, and their orders
  bool coverage = false;          // ... and what the executions have shown of them
  // Races that have been told of, as "pc-pc,pc-pc" in hexadecimal: what else is there?
  KnownRace known_races[kMostKnownRaces] = {};
  unsigned known_race_count = 0;
  double progress = 0.5;   // seconds between progress lines, 0: none
  int fd = 1;              // where results go
  std::uint32_t jobs = 1;  // processes that explore; with `sites` one all the same
  // Runs before the search is shared out among them: what is over soon is not worth it, and what is
  // found soon is the same whatever the number of jobs.
  std::uint64_t alone = 500;
  // The channels, as file descriptors with spaces between them, to those who explore parts of the
  // search on other computers; from the environment variable FENCEPOST_CHANNELS.
  const char* channels = nullptr;
  bool sandbox = false;          // enter the filter of FENCEPOST_SANDBOX before anything else
  bool identify = false;         // only say what those must have in common with this process
  int part = -1;                 // explore one part of a search, which comes over this descriptor,
  double part_seconds = 0;       // ... for so long,
  std::uint64_t part_runs = 0;   // ... or for so many runs,
  bool split = false;            // ... and give back what is left then as two parts
  std::uint64_t probe_runs = 0;  // before the search: an estimate of it that so many runs give
  std::uint32_t seed = 0;        // of its estimates
};

// Reads "key=value key=value"; on a mistake returns a message, else nullptr.
const char* parse_options(const char* text, Options* options);

}  // namespace fencepost::checker
