// SPDX-License-Identifier: MIT
// The search of all executions: how each is run, what is counted, when it ends.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <locale>

#include "execution/coverage.hpp"
#include "execution/runtime.hpp"
#include "graph/state_section.hpp"
#include "loops/rounds.hpp"
#include "loops/spins.hpp"
#include "loops/streams.hpp"
#include "machine/kernel.hpp"
#include "memory/leaks.hpp"
#include "memory/lifetimes.hpp"
#include "memory/prefix.hpp"
#include "memory/reuse.hpp"
#include "memory/uninitialised.hpp"
#include "search/alternatives.hpp"
#include "search/checkpoint.hpp"
#include "search/own_output.hpp"
#include "search/worker.hpp"
#include "search/worker_pool.hpp"
#include "sync/barriers/phases.hpp"
#include "sync/stuck.hpp"

namespace fencepost::checker {

namespace {

constexpr std::uint64_t kFirstSamples = 8;
constexpr std::uint64_t kSampleEvery = 4096;

}  // namespace

void* Runtime::call_main(void*) {
  runtime.begin_main();
  const int status = runtime.main_call_.function(runtime.main_call_.argc, runtime.main_call_.argv,
                                                 runtime.main_call_.envp);
  fencepost_wipe_stack(kAddingUses);
  runtime.end_process(EndsBy::main_returns, status, 0);
}

Ended Runtime::run_once() {
  Graph& g = graph();
  ++counters.replays;
  if (objects_moved_) show_objects(g);
  const bool resumes = prefix.may_resume();
  if (!resumes) {
    snapshot.restore();
    heap.reset();
  }
  shadow.new_execution(resumes);
  if (options.symmetry) symmetry.new_execution();
  for (unsigned i = 0; i < thread_count_; ++i) {
    threads_[i].state = ThreadState::absent;
    freed_memory.freed[i].clear();
  }
  ready_ = 0;
  blocked_ = 0;
  repeated_ = 0;
  for (unsigned i = 0; i < g.threads(); ++i) {
    threads_[i].id = i;
    threads_[i].cursor = 0;
  }
  thread_count_ = g.threads() > 1 ? g.threads() : 1;
  violation.found = false;
  violation.highlights = 0;
  violation.other = nullptr;
  tracing_ = is_sample();
  if (tracing_) std::memset(trace_, 0, sizeof trace_);
  looks_closely_ = tracing_ || options.symmetry;
  known_initial_.clear();
  passes_plain_ = !looks_closely_ && !options.coverage;
  if (options.coverage) coverage.begin();
  is_to_step_aside_ = false;
  deferred_.found = false;
  reset_phases();
  deferred_races_.clear();
  uninitialised.new_execution();
  destroyed_objects.clear();
  exited = false;
  main_returned = false;
  loop_rounds.lock_was_tried = false;
  ending_ = kMaxThreads;
  replaying_ = true;
  turn_ = -1;
  prefix.is_alone = !resumes;
  if (resumes) {
    prefix.resume();
  } else {
    start_thread(threads_[0]);
    threads_[0].entry = call_main;
    prefix.main_begins();
  }
  ended = Ended::complete;
  active = true;
  while (Thread* t = pick()) {
    // Threads give way to each other, and come back when nobody can go on. The scheduler itself has
    // no use for thread-local variables and keeps those of the last one.
    fencepost_switch_stack(&scheduler_stack_, enter(*t));
    if (prefix.is_ending) prefix.look_at();
    if (ended != Ended::complete) break;
  }
  set_thread_pointer(own_thread_pointer_);
  active = false;
  if (spin_is_running()) {
    note_end_of_spin();
    begin_anew_ = true;
  }
  if (ended == Ended::complete) judge_execution();
  if (uninitialised.follows_only) return ended;
  if (ended == Ended::complete && (freed_memory.is_waited_for() || somebody_met_bound())) {
    ended = Ended::dropped;
  }
  if (ended == Ended::complete && loop_rounds.lock_was_tried && !loop_rounds.judge())
    ended = Ended::dropped;
  if (ended == Ended::complete) {
    if (blocked_ != 0) ended = Ended::blocked;
    const bool daemons_wait = ended == Ended::blocked && judge_blocked();
    // What a daemon has is in use.
    if (ended == Ended::complete && options.leaks) judge_leaks();
    if (daemons_wait) ended = Ended::complete;
    if (ended == Ended::complete) note_handlers_left();
  }
  if (ended != Ended::dropped && !violation.found) uninitialised.note_values();
  const unsigned events = g.event_count();
  if (events > counters.most_events) counters.most_events = events;
  return ended;
}

// Spends a few percent of the time on estimating the whole.
void Runtime::probe() {
  const double until = kernel::seconds() + options.progress / 20;
  do {
    probe_once();
  } while (!begin_anew_ && kernel::seconds() < until);
}

void Runtime::probe_once() {
  const std::uint64_t before = counters.replays;
  const bool runs = estimator.begin();
  // What it found stands; the search will come to it in its turn.
  const bool complete = runs && run_once() == Ended::complete;
  if (estimator.end(complete)) {
    ++counters.probes;
    counters.probed_executions += estimator.estimate();
  }
  counters.replays = before;
  violation.found = false;
  inconclusive = nullptr;
}

bool Runtime::progress_is_due() {
  const double now = seconds();
  if (options.progress <= 0 || now - last_progress_ < options.progress) return false;
  last_progress_ = now;
  return true;
}

bool Runtime::limit_is_met(const Counters& so_far, bool look_at_clock) {
  const std::uint64_t seen = so_far.executions + so_far.blocked - seen_before_;
  if (interrupted) {
    inconclusive = "interrupted";
  } else if (options.max_executions != 0 && seen >= options.max_executions) {
    inconclusive = "the limit on executions was reached";
  } else if (look_at_clock && options.timeout > 0 && seconds() >= options.timeout) {
    inconclusive = "the time limit was reached";
  }
  can_go_on = inconclusive != nullptr;
  return can_go_on;
}

// Every execution is run again along a part of its graph many times, and each time its events are
// compared. Where nothing is left to compare, after the last event, a few executions are run again
// as a whole; and so is each that is told as a counterexample.
bool Runtime::is_sample() const {
  return counters.replays < kFirstSamples || counters.replays % kSampleEvery == 0;
}

bool Runtime::happens_again(Ended how) {
  const Violation before = violation;
  looks_at_initial_values_ = checkpoint::found() && violation.found;
  std::uint64_t traces[kMaxThreads];
  std::memcpy(traces, trace_, sizeof traces);
  const unsigned events = graph().event_count();
  // What main does before there are threads is repeated, too, where there is something to tell, in
  // the first execution, and now and then.
  prefix.runs_whole =
      violation.found || counters.replays < 2 || counters.replays % kSampleEvery == 0;
  --counters.replays;
  const Ended again = run_once();
  looks_at_initial_values_ = false;
  prefix.runs_whole = false;
  const bool same_end = again == how && violation.found == before.found &&
                        graph().event_count() == events && inconclusive == nullptr;
  // One that a violation cut short may have come less far in other threads.
  const bool whole = how == Ended::complete || how == Ended::blocked;
  const bool same_way = !tracing_ || !whole || std::memcmp(traces, trace_, sizeof traces) == 0;
  violation = before;
  if (same_end && same_way) return true;
  if (inconclusive == nullptr) {
    inconclusive = kNotTheSame;
    inconclusive_pc = 0;
  }
  return false;
}

// What a program says of its own failure is kept.
bool Runtime::is_told_again(Ended how) {
  bool says_why = false;
  for (const char* kind : {"assertion", "exit-status", "uncaught"}) {
    says_why |= std::strcmp(violation.kind, kind) == 0;
  }
  if (!says_why) return happens_again(how);
  own_output::begin_to_keep();
  const bool same = happens_again(how);
  own_output::end_to_keep();
  listener->add_output();
  return same;
}

// Goes through an execution that is said to violate; whoever says so is not believed. Is there a
// violation, to be kept?
bool Runtime::find_again(BytesIn* execution) {
  const Counters before = counters;
  if (!read_alternatives(execution) || !explorer.next()) return false;
  const Ended how = run_once();
  const bool whole = how == Ended::complete || how == Ended::blocked;
  if (whole && !violation.found && inconclusive == nullptr && !begin_anew_ &&
      !uninitialised.reads.empty()) {
    uninitialised.is_indifferent();
  }
  const bool found = violation.found && inconclusive == nullptr && !begin_anew_ &&
                     explorer.is_execution() && listener->keep_violation() && is_told_again(how);
  if (!found) listener->drop_violation();
  explorer.clear();
  counters = before;
  return found;
}

bool Runtime::tally(Ended how) {
  if (how != Ended::dropped && inconclusive == nullptr && tracing_ && !violation.found &&
      !happens_again(how)) {
    return false;
  }
  const bool whole = how == Ended::complete || how == Ended::blocked;
  const bool looks_again = whole && !violation.found && inconclusive == nullptr;
  bool matters = false;
  if (looks_again && !uninitialised.reads.empty() && !uninitialised.is_indifferent()) {
    if (inconclusive != nullptr) return false;
    matters = true;
    how = Ended::stopped;
  }
  if (how == Ended::complete) ++counters.executions;
  if (how == Ended::blocked) ++counters.blocked;
  if (options.coverage && (how == Ended::complete || how == Ended::blocked)) coverage.note(graph());
  if (options.dump && (how == Ended::complete || how == Ended::blocked)) listener->execution(how);
  if (violation.found) {
    if (checkpoint::found() && !explorer.is_execution()) {
      inconclusive = checkpoint::implausible();
      return false;
    }
    ++counters.violations;
    if (listener->keep_violation() && !matters && !is_told_again(how)) {
      listener->drop_violation();
      return false;
    }
    if (!options.all) return false;
  }
  return inconclusive == nullptr;
}

void Runtime::keep_for_later() {
  FENCEPOST_CHECKER_STATE static char text[8192];
  const char* mistake = checkpoint::save();
  std::snprintf(text, sizeof text,
                mistake == nullptr
                    ? "%s; what is left is in %s, and the same command goes on from there"
                    : "%s; what is left could not be kept in %s: %s",
                inconclusive, checkpoint::path(), mistake);
  inconclusive = text;
}

void Runtime::check(int (*program_main)(int, char**, char**), int argc, char** argv, char** envp) {
  main_call_ = {program_main, argc, argv, envp};
  // A part of it lies in the program's own memory, where it is put back before each execution.
  std::locale::classic();
  heap.keep_startup();
  snapshot.take();
  find_streams();
  sort_exit_handlers();
  // MixedSize of the search would have to know the same loops.
  const bool may_learn_spins = !options.symmetry && !options.sites && options.part < 0 &&
                               options.channels == nullptr && !checkpoint::wanted();
  suggests_bounded_spins = may_learn_spins && !options.bounded_spins && !options.no_bounded_spins;
  options.bounded_spins = options.bounded_spins && may_learn_spins;
  const bool counts = options.all || options.dump || options.coverage ||
                      options.max_executions != 0 || options.probe_runs != 0;
  if (may_learn_spins && !counts) bound_ = std::min(options.many_events, options.max_events);
  if (options.part >= 0) worker::work_elsewhere(options.part);
  bool more = true;
  if (!checkpoint::found()) {
    explorer.start();
    estimator.seed(options.seed);
    for (std::uint64_t k = 0; k < options.probe_runs; ++k) {
      probe_once();
      begin_anew();
    }
    if (counters.probes != 0) listener->progress(counters);
  } else if (checkpoint::restore()) {
    seen_before_ = counters.executions + counters.blocked;
    more = explorer.next();
  } else {
    inconclusive = checkpoint::implausible();
    inconclusive_pc = 0;
    more = false;
  }
  while (more) {
    const Ended how = run_once();
    if (begin_anew()) continue;
    if (!tally(how)) break;
    more = explorer.next();
    if (bounded_ && is_done_with_bound(more)) {
      more = begin_anew();
      continue;
    }
    if (!more) break;
    const bool look_at_clock = (counters.replays & 63) == 0;
    if (limit_is_met(counters, look_at_clock)) {
      explorer.put_back();
      break;
    }
    const bool share = options.jobs > 1 || options.channels != nullptr;
    if (share && !options.sites && !bounded_ && counters.replays >= options.alone) {
      explorer.put_back();
      bound_ = kNoBound;
      WorkerPool().run();
      break;
    }
    if (look_at_clock && progress_is_due()) {
      if (!bounded_) probe();
      listener->progress(counters);
      begin_anew();
    }
  }
  if (can_go_on && checkpoint::wanted()) keep_for_later();
  listener->finish();
  __builtin_unreachable();
}

}  // namespace fencepost::checker
