// SPDX-License-Identifier: MIT
// What an execution asks of those above it and tells them. They know it, and it does not know them:
// each of these is defined by one of them, which includes this.
#pragma once

#include <cstddef>
#include <cstdint>

#include "graph/event.hpp"

namespace fencepost::checker {

// ---- sync/barriers/phases.cpp
// Can it be, as far as it has gone or as an execution that is over, that those were the last of
// their phases that say so?
bool phases_are_possible(bool over);

// ---- sync/stuck.cpp
// Does the read see the newest value there is? Later writes that come to nothing do not count.
bool reads_newest(EventId read);

// ---- sync/misuse.cpp
// Memory is freed, or the scope of a variable ends.
void must_not_end_locks(std::uintptr_t address, std::size_t size, std::uint64_t pc);

// ---- search/search.cpp
// Runs the execution that the graph has once more.
void run_again();

// ---- search/prefix.cpp
// How far main has come with making its first threads. Later executions may go on from there.
struct FirstThreads {
  bool runs_whole = false;  // the next execution, from the beginning of main on
  bool is_alone = false;    // main has made no thread yet, and is not to be kept as it is now
  bool makes_more = false;  // it has, has done nothing else since, and may be kept
};
extern FirstThreads first_threads;

// Main makes its first thread; it is about to do something else that is an event; it lets others
// run before it has done anything else.
void main_makes_threads();
void main_has_made_threads();
void main_lets_others_run();
// Where they would go on from is no more what it was.
void forget_first_threads();

}  // namespace fencepost::checker
