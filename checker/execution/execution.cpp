// SPDX-License-Identifier: MIT
// How an execution is begun and left.
#include "execution/execution.hpp"

#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "execution/accesses/plain_accesses.hpp"
#include "execution/deferred_violations.hpp"
#include "graph/state_section.hpp"

namespace fencepost::checker {

FENCEPOST_CHECKER_STATE constinit Execution execution;

void Execution::begin() {
  const Graph& g = graph();
  for (unsigned i = 0; i < thread_count; ++i) threads[i].state = ThreadState::absent;
  for (std::uint64_t& threads_there : in_) threads_there = 0;
  repeated_ = 0;
  for (unsigned i = 0; i < g.threads(); ++i) {
    threads[i].id = i;
    threads[i].cursor = 0;
  }
  thread_count = g.threads() > 1 ? g.threads() : 1;
  violation.found = false;
  violation.highlights = 0;
  violation.other = nullptr;
  replaying_ = true;
  turn_ = -1;
  ended = Ended::complete;
}

void Execution::stop_execution() {
  settle_plain_writes();
  ended = Ended::stopped;
  switch_to_scheduler();
  __builtin_unreachable();
}

void Execution::drop_execution() {
  settle_plain_writes();
  ended = Ended::dropped;
  switch_to_scheduler();
  __builtin_unreachable();
}

void Execution::start_over() {
  begins_anew = true;
  ended = Ended::stopped;
  switch_to_scheduler();
  __builtin_unreachable();
}

void Execution::violate(const char* kind, std::uint64_t pc, const char* format, ...) {
  const unsigned highlights = violation.highlights;
  violation.found = true;
  violation.kind = kind;
  violation.highlights = highlights;
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(violation.message, sizeof violation.message, format, arguments);
  va_end(arguments);
  violation.thread = current->id;
  violation.pc = pc;
  if (!certain()) defer();
  stop_execution();
}

void Execution::unsupported(std::uint64_t pc, const char* format, ...) {
  FENCEPOST_CHECKER_STATE static char message[512];
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  if (!active) listener->inconclusive_now(message, pc);
  inconclusive = message;
  inconclusive_pc = pc;
  stop_execution();
}

}  // namespace fencepost::checker
