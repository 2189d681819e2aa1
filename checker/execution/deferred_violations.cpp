// SPDX-License-Identifier: MIT
// What is found in an execution that may turn out not to exist.
//
// Under most models a graph that is being explored is an execution. Under C++14 it is one only if
// the model's `judge` says so, and what it does not admit yet may be admitted when more has been
// added (model.hpp). So what goes wrong in an execution that is not certain is put aside: the
// thread that did wrong is stopped there, as it would be, the others go on, and at the end it is
// decided whether all that has happened. Nothing is missed by that: where the execution is
// admitted as it stands, so is what follows from it when everybody reads and makes what is newest,
// and this is how it goes on.
//
// Under every model, who is the last at a std::barrier may turn out to have been impossible
// (phases.cpp).
//
// Nor does the graph's happens-before say the last word: the model's may order what it does not,
// but another thread's store may come and take that order away. So two accesses that it does not
// order are suspected, and judged with the execution. Happens-before of the graph is part of every
// model's, for good, so what it orders needs no second look.
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "execution/runtime.hpp"
#include "sync/barriers/phases.hpp"

namespace fencepost::checker {

bool Execution::certain() {
  if (!phases_are_possible(false)) return false;
  return options.model->judge == nullptr || options.model->judge(graph()) == Judgement::admitted;
}

void Execution::defer() {
  if (!deferred_.found) deferred_ = violation;
  violation.found = false;
  violation.highlights = 0;
  violation.other = nullptr;
  for (;;) block(Block::violation, violation.pc, 0, 0);
}

// By the clocks of the model, which has just judged the graph.
bool Execution::unordered(const DeferredRace& s) {
  const auto clock = options.model->clock;
  if (s.earlier.free) return true;
  if (clock(event_id(s.now.thread, s.now.index - 1))[s.earlier.thread] > s.earlier.index) {
    return false;
  }
  if (!s.atomic || s.now.free) return true;
  return clock(event_id(s.earlier.thread, s.earlier.index))[s.now.thread] <= s.now.index;
}

// Does the user know of it already?
bool Execution::is_known(const DeferredRace& s) {
  if (options.known_race_count == 0 || std::strcmp(s.kind, "data-race") != 0) return false;
  const std::uint64_t other =
      s.atomic ? graph().at(event_id(s.earlier.thread, s.earlier.index)).pc : s.earlier.pc;
  for (unsigned k = 0; k < options.known_race_count; ++k) {
    const KnownRace& race = options.known_races[k];
    if ((race.pc == s.pc && race.other_pc == other) ||
        (race.pc == other && race.other_pc == s.pc)) {
      return true;
    }
  }
  return false;
}

void Execution::suspect(const char* kind, const PlainAccess& earlier, const PlainAccess& now,
                        bool atomic, std::uintptr_t address, std::uint64_t pc, const char* format,
                        ...) {
  DeferredRace s{kind, earlier, now, atomic, address, pc, {}};
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(s.message, sizeof s.message, format, arguments);
  va_end(arguments);
  if (is_known(s)) {
    violation.highlights = 0;
    return;
  }
  if (options.model->judge == nullptr || (certain() && unordered(s))) {
    if (!atomic) clashes_with(earlier, address);
    violate(kind, pc, "%s", s.message);
  }
  violation.highlights = 0;
  deferred_races_.push_back(s);
}

void Runtime::judge_execution() {
  if (!phases_are_possible(true)) {
    ended = Ended::dropped;
    return;
  }
  if (options.model->judge == nullptr) return;
  const Judgement judgement = options.model->judge(graph());
  if (judgement != Judgement::admitted) {
    if (judgement == Judgement::wants_store) counters.wanted_store = 1;
    ended = Ended::dropped;
    return;
  }
  for (const DeferredRace& s : deferred_races_) {
    if (unordered(s)) {
      violation = Violation{};
      violation.found = true;
      violation.kind = s.kind;
      std::snprintf(violation.message, sizeof violation.message, "%s", s.message);
      violation.thread = s.now.thread;
      violation.pc = s.pc;
      if (s.atomic) {
        violation.highlight[0] = event_id(s.earlier.thread, s.earlier.index);
        violation.highlights = 1;
      } else {
        clashes_with(s.earlier, s.address);
      }
      ended = Ended::stopped;
      return;
    }
    // The thread could not know that the other access comes before its own.
    const bool first = options.model->clock(event_id(
                           s.now.thread, s.now.index - 1))[s.earlier.thread] <= s.earlier.index;
    if (s.atomic && !s.now.free && !first && inconclusive == nullptr) {
      inconclusive =
          "a plain access to an atomic object that comes after an atomic one by a release sequence "
          "of C++14 alone";
      inconclusive_pc = s.pc;
      ended = Ended::stopped;
      return;
    }
  }
  if (!deferred_.found) return;
  violation = deferred_;
  ended = Ended::stopped;
}

}  // namespace fencepost::checker
