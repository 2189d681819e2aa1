// SPDX-License-Identifier: MIT
// How the process ends, and what it does before.
#pragma once

#include <cstdint>

#include "execution/endings.hpp"
#include "execution/threads/thread.hpp"
#include "graph/storage.hpp"

namespace fencepost::checker {

struct ProcessEnd {
  void new_execution();

  // In this execution.
  bool exited = false;  // exit was called: who is blocked ends with the process
  bool main_returned = false;
  unsigned ending = kMaxThreads;               // the thread that runs what is registered
  bool twice = false;                          // another one ends it, too
  Array<ExitHandler> registered[kMaxThreads];  // by each thread
  // Before main; by ExitList, and of main's thread.
  Array<ExitHandler> started_with[2];
  Array<ExitHandler> thread_started_with;
  std::uintptr_t main = 0;
};

extern ProcessEnd process_end;

// By atexit and its kin, also before main.
void at_exit(ExitList list, const ExitHandler& handler, std::uint64_t pc);
// The destructor of a thread-local object.
void at_thread_end(const ExitHandler& handler);
// Of what was registered before main, what runs.
void sort_exit_handlers();
// Main, which lies there, is about to be called.
void begin_main(std::uintptr_t main);
[[noreturn]] void process_ends(EndsBy by, int status, std::uint64_t pc);
// At the end of an execution.
void note_handlers_left();

}  // namespace fencepost::checker
