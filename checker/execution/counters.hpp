// SPDX-License-Identifier: MIT
// What an exploration has counted. Several processes may share one, and one may be done in several
// sittings: everything here can be added up.
#pragma once

#include <cstdint>

#include "memory/hash.hpp"

namespace fencepost::checker {

// Which words of stacks, or other numbers, there are in a set, as bits of a hash.
struct WordSet {
  static constexpr unsigned kBits = 4096;
  std::uint64_t bits[kBits / 64];

  void add(std::uintptr_t word) {
    const std::uint64_t bit = mix(word, kBits) % kBits;
    bits[bit / 64] |= std::uint64_t{1} << bit % 64;
  }
  void add(const WordSet& other) {
    for (unsigned i = 0; i < kBits / 64; ++i) bits[i] |= other.bits[i];
  }
  bool meets(const WordSet& other) const {
    std::uint64_t common = 0;
    for (unsigned i = 0; i < kBits / 64; ++i) common |= bits[i] & other.bits[i];
    return common != 0;
  }
};

struct Counters {
  std::uint64_t executions;
  std::uint64_t blocked;
  std::uint64_t violations;
  std::uint64_t replays;
  std::uint64_t revisits;
  std::uint64_t probes;
  std::uint64_t daemons;        // threads that only waited in the end, thread n as bit n
  std::uint64_t left_waiting;   // ... and that waited when exit was called
  std::uint64_t out_of_limits;  // ... and that waited with a time limit, having met all they may
  std::uint64_t symmetric_threads;  // threads that were interchangeable with others
  std::uint64_t unfinished_loop;    // the place of one that might not turn again (unroll.cpp), or 0
  double probed_executions;         // sum of the probes' estimates
  double seconds;                   // of former sittings
  double cpu_seconds;               // of former sittings, and of processes on other computers
  std::uint32_t most_events;
  std::uint32_t heavy_fences;        // 1: some execution had one
  std::uint32_t process_shared;      // 1: something was to be shared with other processes
  std::uint32_t keys_in_one_order;   // 1: keys came or went while there were several threads
  std::uint32_t signals_said;        // 1: what happens on one was said beside other threads
  std::uint32_t own_random_numbers;  // 1: rand or srand was called while there were several threads
  std::uint32_t consumed;            // 1: an order was memory_order_consume
  std::uint32_t new_identities;      // 1: a thread was created after another one had ended
  std::uint32_t errno_reached;       // 1: a thread came to the errno of another one
  std::uint32_t fenced_attempts;     // 1: ... had a fence, and an attempt at a lock that failed
  std::uint32_t larger_stacks;       // 1: a thread was to have less stack than all have here
  std::uint32_t library_trusted;     // 1: the C++ library's waiting was taken at its word
  std::uint32_t std_barriers;        // 1: some execution came to a std::barrier, the standard's
  std::uint32_t std_latches;         // 1: ... to a std::latch
  std::uint32_t clocks_read;         // 1: some execution read a clock
  std::uint32_t waits;               // 1: ... waited where a wake-up for nothing might have come
  std::uint32_t timed_waits;         // 1: ... waited with a time limit
  std::uint32_t weak_exchanges;      // 1: ... tried a weak compare-exchange
  std::uint32_t memory_freed;        // 1: some execution freed memory of its heap,
  std::uint32_t addresses_compared;  // 1: ... had a compare-exchange that expected an address of it
  std::uint32_t reuse_missed;        // 1: memory could come back in more ways than was thought
  std::uint32_t wanted_store;        // 1: an execution was discarded that a store more might permit
  std::uint32_t cut_store;           // 1: a loop was cut that makes such stores
  std::uint32_t handlers_left;       // 1: the last thread to end would have called exit handlers
  std::uint32_t handlers_of_libraries;  // 1: shared libraries have registered some
  std::uint32_t rounds_passed;          // 1: of a loop with a counter (spins.cpp)
  std::uint32_t taken_together;         // 1: several mutexes were, as the standard has it
  std::uint32_t assumed;                // 1: a thread was to assume what does not hold
  std::uint32_t from_first_thread;      // 1: some executions went on from there (prefix.cpp)
  std::uint32_t resumed;                // former sittings
  std::uint32_t sittings_lost;          // how often one of the later ones had to begin anew
  WordSet visited;                      // own_stack.cpp
  WordSet believed_private;
  WordSet tried;     // rounds.cpp: how often which locks are tried,
  WordSet withheld;  // ... and where a loop was cut that might have been seen more often

  void add(const Counters& other) {
    executions += other.executions;
    blocked += other.blocked;
    violations += other.violations;
    replays += other.replays;
    revisits += other.revisits;
    probes += other.probes;
    daemons |= other.daemons;
    left_waiting |= other.left_waiting;
    out_of_limits |= other.out_of_limits;
    symmetric_threads |= other.symmetric_threads;
    if (unfinished_loop == 0) unfinished_loop = other.unfinished_loop;
    probed_executions += other.probed_executions;
    seconds += other.seconds;
    cpu_seconds += other.cpu_seconds;
    if (other.most_events > most_events) most_events = other.most_events;
    heavy_fences |= other.heavy_fences;
    process_shared |= other.process_shared;
    keys_in_one_order |= other.keys_in_one_order;
    signals_said |= other.signals_said;
    own_random_numbers |= other.own_random_numbers;
    consumed |= other.consumed;
    new_identities |= other.new_identities;
    errno_reached |= other.errno_reached;
    fenced_attempts |= other.fenced_attempts;
    larger_stacks |= other.larger_stacks;
    library_trusted |= other.library_trusted;
    std_barriers |= other.std_barriers;
    std_latches |= other.std_latches;
    clocks_read |= other.clocks_read;
    waits |= other.waits;
    timed_waits |= other.timed_waits;
    weak_exchanges |= other.weak_exchanges;
    memory_freed |= other.memory_freed;
    addresses_compared |= other.addresses_compared;
    reuse_missed |= other.reuse_missed;
    wanted_store |= other.wanted_store;
    cut_store |= other.cut_store;
    handlers_left |= other.handlers_left;
    handlers_of_libraries |= other.handlers_of_libraries;
    rounds_passed |= other.rounds_passed;
    taken_together |= other.taken_together;
    assumed |= other.assumed;
    from_first_thread |= other.from_first_thread;
    resumed += other.resumed;
    sittings_lost += other.sittings_lost;
    visited.add(other.visited);
    believed_private.add(other.believed_private);
    tried.add(other.tried);
    withheld.add(other.withheld);
  }
};

}  // namespace fencepost::checker
