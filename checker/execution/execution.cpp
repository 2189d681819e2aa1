// SPDX-License-Identifier: MIT
// How an execution is left.
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "execution/runtime.hpp"
#include "graph/state_section.hpp"

namespace fencepost::checker {

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
