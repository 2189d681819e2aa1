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
#include "execution/deferred_violations.hpp"

#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "execution/above.hpp"
#include "execution/execution.hpp"
#include "graph/state_section.hpp"

namespace fencepost::checker {
namespace {

// Two accesses that race, or the second of which comes too late to be waited for, unless the
// model's own happens-before orders them when the execution is over.
struct DeferredRace {
  const char* kind;
  PlainAccess earlier;
  PlainAccess now;
  bool atomic;  // `earlier` is an event
  std::uintptr_t address;
  std::uint64_t pc;
  char message[256];
};

FENCEPOST_CHECKER_STATE constinit Violation deferred{};
FENCEPOST_CHECKER_STATE constinit Array<DeferredRace> deferred_races;

// By the clocks of the model, which has just judged the graph.
bool unordered(const DeferredRace& s) {
  const auto clock = execution.options.model->clock;
  if (s.earlier.free()) return true;
  if (clock(event_id(s.now.thread(), s.now.index() - 1))[s.earlier.thread()] > s.earlier.index()) {
    return false;
  }
  if (!s.atomic || s.now.free()) return true;
  return clock(event_id(s.earlier.thread(), s.earlier.index()))[s.now.thread()] <= s.now.index();
}

// Does the user know of it already?
bool is_known(const DeferredRace& s) {
  if (execution.options.known_race_count == 0 || std::strcmp(s.kind, "data-race") != 0)
    return false;
  const std::uint64_t other =
      s.atomic ? execution.graph().at(event_id(s.earlier.thread(), s.earlier.index())).pc
               : s.earlier.pc;
  for (unsigned k = 0; k < execution.options.known_race_count; ++k) {
    const KnownRace& race = execution.options.known_races[k];
    if ((race.pc == s.pc && race.other_pc == other) ||
        (race.pc == other && race.other_pc == s.pc)) {
      return true;
    }
  }
  return false;
}

}  // namespace

void forget_deferred() {
  deferred.found = false;
  deferred_races.clear();
}

bool any_deferred() { return deferred.found || !deferred_races.empty(); }

bool certain() {
  if (!phases_are_possible(false)) return false;
  return execution.options.model->judge == nullptr ||
         execution.options.model->judge(execution.graph()) == Judgement::admitted;
}

void defer() {
  if (!deferred.found) deferred = execution.violation;
  execution.violation.found = false;
  execution.violation.highlights = 0;
  execution.violation.other = nullptr;
  for (;;) execution.block(Block::violation, execution.violation.pc, 0, 0);
}

void clashes_with(const PlainAccess& earlier, std::uintptr_t address) {
  const bool with_thread = regions::in_threads(address);
  const char* end = regions::in_heap(address) ? "free" : with_thread ? "end" : "destroy";
  const Heap::Block* block = execution.heap.find(address);
  const bool allocated = block != nullptr && earlier.write() && earlier.pc == block->allocated_at;
  execution.violation.other = allocated               ? "allocate"
                              : earlier.free()        ? end
                              : earlier.ends_object() ? "destroy"
                              : earlier.write()       ? "write"
                              : earlier.use()         ? "notification"
                                                      : "read";
  execution.violation.other_before = event_id(earlier.thread(), earlier.index());
  execution.violation.other_pc = earlier.pc;
  execution.violation.address = address;
}

void suspect(const char* kind, const PlainAccess& earlier, const PlainAccess& now, bool atomic,
             std::uintptr_t address, std::uint64_t pc, const char* format, ...) {
  DeferredRace s{kind, earlier, now, atomic, address, pc, {}};
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(s.message, sizeof s.message, format, arguments);
  va_end(arguments);
  if (is_known(s)) {
    execution.violation.highlights = 0;
    return;
  }
  if (execution.options.model->judge == nullptr || (certain() && unordered(s))) {
    if (!atomic) clashes_with(earlier, address);
    execution.violate(kind, pc, "%s", s.message);
  }
  execution.violation.highlights = 0;
  deferred_races.push_back(s);
}

void judge_execution() {
  if (!phases_are_possible(true)) {
    execution.ended = Ended::dropped;
    return;
  }
  if (execution.options.model->judge == nullptr) return;
  const Judgement judgement = execution.options.model->judge(execution.graph());
  if (judgement != Judgement::admitted) {
    if (judgement == Judgement::wants_store) execution.counters.wanted_store = 1;
    execution.ended = Ended::dropped;
    return;
  }
  for (const DeferredRace& s : deferred_races) {
    if (unordered(s)) {
      execution.violation = Violation{};
      execution.violation.found = true;
      execution.violation.kind = s.kind;
      std::snprintf(execution.violation.message, sizeof execution.violation.message, "%s",
                    s.message);
      execution.violation.thread = s.now.thread();
      execution.violation.pc = s.pc;
      if (s.atomic) {
        execution.violation.highlight[0] = event_id(s.earlier.thread(), s.earlier.index());
        execution.violation.highlights = 1;
      } else {
        clashes_with(s.earlier, s.address);
      }
      execution.ended = Ended::stopped;
      return;
    }
    // The thread could not know that the other access comes before its own.
    const bool first =
        execution.options.model->clock(
            event_id(s.now.thread(), s.now.index() - 1))[s.earlier.thread()] <= s.earlier.index();
    if (s.atomic && !s.now.free() && !first && execution.inconclusive == nullptr) {
      execution.inconclusive =
          "a plain access to an atomic object that comes after an atomic one by a release sequence "
          "of C++14 alone";
      execution.inconclusive_pc = s.pc;
      execution.ended = Ended::stopped;
      return;
    }
  }
  if (!deferred.found) return;
  execution.violation = deferred;
  execution.ended = Ended::stopped;
}

}  // namespace fencepost::checker
