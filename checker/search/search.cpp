// SPDX-License-Identifier: MIT
// The search of all executions: how each is run, what is counted, when it ends.
#include "search/search.hpp"

#include <signal.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <locale>

#include "execution/above.hpp"
#include "execution/accesses/coverage.hpp"
#include "execution/accesses/plain_accesses.hpp"
#include "execution/deferred_violations.hpp"
#include "execution/execution.hpp"
#include "execution/few_events.hpp"
#include "execution/lifetimes/leaks.hpp"
#include "execution/lifetimes/lifetimes.hpp"
#include "execution/lifetimes/reuse.hpp"
#include "execution/lifetimes/uninitialised.hpp"
#include "execution/loops/loops.hpp"
#include "execution/loops/rounds.hpp"
#include "execution/loops/spins.hpp"
#include "execution/loops/streams.hpp"
#include "execution/loops/unroll.hpp"
#include "execution/objects.hpp"
#include "execution/threads/thread_specific.hpp"
#include "graph/state_section.hpp"
#include "machine/kernel.hpp"
#include "search/alternatives.hpp"
#include "search/checkpoint.hpp"
#include "search/own_output.hpp"
#include "search/prefix.hpp"
#include "search/signals.hpp"
#include "search/workers/worker.hpp"
#include "search/workers/worker_pool.hpp"
#include "sync/barriers/phases.hpp"
#include "sync/clocks.hpp"
#include "sync/locks/together.hpp"
#include "sync/process_end.hpp"
#include "sync/stuck.hpp"

namespace fencepost::checker {

namespace {

constexpr std::uint64_t kFirstSamples = 8;
constexpr std::uint64_t kSampleEvery = 4096;

}  // namespace

FENCEPOST_CHECKER_STATE constinit Search search;

double Search::seconds() const { return kernel::seconds() - started_; }

void Search::starts_now() { started_ = kernel::seconds(); }

void Search::initialise(const Options& wanted) {
  execution.options = wanted;
  // By what they have freed, threads differ.
  if (execution.options.symmetry) execution.options.reuse_of = Reuse::never;
  started_ = kernel::seconds();
  execution.explorer.use(execution.options.model, execution.options.symmetry);
  execution.own_thread_pointer = thread_pointer();
  objects.initialise();
  execution.snapshot.find();
  execution.shadow.initialise(execution.snapshot.data_begin(), execution.snapshot.data_end());
  install_signals();
  start_ticking();
}

// Signals that ask to stop are the business of the process that it works for.
void Search::prepare_worker() {
  signal(SIGINT, SIG_IGN);
  signal(SIGTERM, SIG_IGN);
  start_ticking();
}

void* Search::call_main(void*) {
  const MainCall& call = search.main_call_;
  begin_main(reinterpret_cast<std::uintptr_t>(call.function));
  const int status = call.function(call.argc, call.argv, call.envp);
  fencepost_wipe_stack(kAddingUses);
  process_ends(EndsBy::main_returns, status, 0);
}

void run_again() { search.run_once(); }

Ended Search::run_once() {
  Graph& g = execution.graph();
  ++execution.counters.replays;
  objects.new_execution(g);
  const bool resumes = prefix.may_resume();
  execution.snapshot.restore_library();
  if (!resumes) {
    execution.snapshot.restore();
    execution.heap.reset();
  }
  execution.shadow.new_execution(resumes);
  if (execution.options.symmetry) execution.symmetry.new_execution();
  for (unsigned i = 0; i < execution.thread_count; ++i) {
    freed_memory.freed[i].clear();
    clocks.passed[i].clear();
    process_end.registered[i].clear();
    uninitialised.printed[i] = 0;
  }
  execution.begin();
  plain_accesses.new_execution(is_sample());
  if (execution.options.coverage) coverage.begin();
  forget_deferred();
  reset_phases();
  taken_together.new_execution();
  uninitialised.new_execution();
  destroyed_objects.clear();
  process_end.new_execution();
  loop_rounds.lock_was_tried = false;
  first_threads.is_alone = !resumes;
  first_threads.makes_more = false;
  if (resumes) {
    prefix.resume();
  } else {
    execution.start_thread(execution.threads[0]);
    execution.threads[0].entry = call_main;
    prefix.main_begins();
  }
  execution.active = true;
  while (Thread* t = execution.pick()) {
    execution.go_on_with(*t);
    if (prefix.is_ending) prefix.look_at();
    if (execution.ended != Ended::complete) break;
  }
  set_thread_pointer(execution.own_thread_pointer);
  execution.active = false;
  if (spin_is_running()) {
    note_end_of_spin();
    execution.begins_anew = true;
  }
  if (execution.ended == Ended::complete) judge_execution();
  if (uninitialised.follows_only) return execution.ended;
  if (execution.ended == Ended::complete &&
      (freed_memory.is_waited_for() || event_bound.is_met())) {
    execution.ended = Ended::dropped;
  }
  if (const std::uint64_t loop = unfinished_loop(); loop != 0) {
    if (execution.ended == Ended::complete) execution.ended = Ended::dropped;
    if (execution.counters.unfinished_loop == 0) execution.counters.unfinished_loop = loop;
  }
  if (execution.ended == Ended::complete && loop_rounds.lock_was_tried && !loop_rounds.judge())
    execution.ended = Ended::dropped;
  if (execution.ended == Ended::complete) {
    if (execution.in(ThreadState::blocked) != 0) execution.ended = Ended::blocked;
    const bool daemons_wait = execution.ended == Ended::blocked && judge_blocked();
    // What a daemon has is in use.
    if (execution.ended == Ended::complete && execution.options.leaks) judge_leaks();
    if (daemons_wait) execution.ended = Ended::complete;
    if (execution.ended == Ended::complete) note_handlers_left();
  }
  if (execution.ended != Ended::dropped && !execution.violation.found) uninitialised.note_values();
  const unsigned events = g.event_count();
  if (events > execution.counters.most_events) execution.counters.most_events = events;
  return execution.ended;
}

// Spends a few percent of the time on estimating the whole.
void Search::probe() {
  const double until = kernel::seconds() + execution.options.progress / 20;
  do {
    probe_once();
  } while (!execution.begins_anew && kernel::seconds() < until);
}

void Search::probe_once() {
  const std::uint64_t before = execution.counters.replays;
  const bool runs = estimator.begin();
  // What it found stands; the search will come to it in its turn.
  const bool complete = runs && run_once() == Ended::complete;
  if (estimator.end(complete)) {
    ++execution.counters.probes;
    execution.counters.probed_executions += estimator.estimate();
  }
  execution.counters.replays = before;
  execution.violation.found = false;
  execution.inconclusive = nullptr;
}

bool Search::progress_is_due() {
  const double now = seconds();
  if (execution.options.progress <= 0 || now - last_progress_ < execution.options.progress)
    return false;
  last_progress_ = now;
  return true;
}

bool Search::must_stop(bool look_at_clock) {
  if (execution.interrupted) {
    execution.stop_for_now("interrupted");
  } else if (look_at_clock && execution.options.timeout > 0 &&
             seconds() >= execution.options.timeout) {
    execution.stop_for_now("the time limit was reached");
  }
  return execution.inconclusive != nullptr;
}

std::uint64_t Search::executions_left() const {
  const Counters& so_far = execution.counters;
  const std::uint64_t seen = so_far.executions + so_far.blocked - seen_before_;
  const std::uint64_t most = execution.options.max_executions;
  return seen < most ? most - seen : 0;
}

// Every execution is run again along a part of its graph many times, and each time its events are
// compared. Where nothing is left to compare, after the last event, a few executions are run again
// as a whole; and so is each that is told as a counterexample.
bool Search::is_sample() const {
  return execution.counters.replays < kFirstSamples ||
         execution.counters.replays % kSampleEvery == 0;
}

bool Search::happens_again(Ended how) {
  const Violation before = execution.violation;
  objects.looks_at_initial_values = checkpoint::found() && execution.violation.found;
  std::uint64_t traces[kMaxThreads];
  std::memcpy(traces, plain_accesses.trace, sizeof traces);
  const unsigned events = execution.graph().event_count();
  // What main does before there are threads is repeated, too, where there is something to tell, in
  // the first execution, and now and then.
  first_threads.runs_whole = execution.violation.found || execution.counters.replays < 2 ||
                             execution.counters.replays % kSampleEvery == 0;
  --execution.counters.replays;
  stopped_rounds.keep();
  const Ended again = run_once();
  stopped_rounds.forget();
  objects.looks_at_initial_values = false;
  first_threads.runs_whole = false;
  const bool same_end = again == how && execution.violation.found == before.found &&
                        execution.graph().event_count() == events &&
                        execution.inconclusive == nullptr;
  // One that a violation cut short may have come less far in other threads.
  const bool whole = how == Ended::complete || how == Ended::blocked;
  const bool same_way = !plain_accesses.tracing || !whole ||
                        std::memcmp(traces, plain_accesses.trace, sizeof traces) == 0;
  execution.violation = before;
  if (same_end && same_way) return true;
  if (execution.inconclusive == nullptr) {
    execution.inconclusive = Execution::kNotTheSame;
    execution.inconclusive_pc = 0;
  }
  return false;
}

// What a program says of its own failure is kept.
bool Search::is_told_again(Ended how) {
  bool says_why = false;
  for (const char* kind : {"assertion", "exit-status", "uncaught"}) {
    says_why |= std::strcmp(execution.violation.kind, kind) == 0;
  }
  if (!says_why) return happens_again(how);
  own_output::begin_to_keep();
  const bool same = happens_again(how);
  own_output::end_to_keep();
  execution.listener->add_output();
  return same;
}

// Goes through an execution that is said to violate; whoever says so is not believed. Is there a
// violation, to be kept?
bool Search::find_again(BytesIn* said) {
  const Counters before = execution.counters;
  if (!read_alternatives(said) || !execution.explorer.next()) return false;
  const Ended how = run_once();
  const bool whole = how == Ended::complete || how == Ended::blocked;
  if (whole && !execution.violation.found && execution.inconclusive == nullptr &&
      !execution.begins_anew && !uninitialised.reads.empty()) {
    uninitialised.is_indifferent();
  }
  const bool found = execution.violation.found && execution.inconclusive == nullptr &&
                     !execution.begins_anew && execution.explorer.is_execution() &&
                     execution.listener->keep_violation() && is_told_again(how);
  if (!found) execution.listener->drop_violation();
  execution.explorer.clear();
  execution.counters = before;
  return found;
}

bool Search::tally(Ended how) {
  if (how != Ended::dropped && execution.inconclusive == nullptr && plain_accesses.tracing &&
      !execution.violation.found && !happens_again(how)) {
    return false;
  }
  const bool whole = how == Ended::complete || how == Ended::blocked;
  const bool looks_again = whole && !execution.violation.found && execution.inconclusive == nullptr;
  bool matters = false;
  if (looks_again && !uninitialised.reads.empty() && !uninitialised.is_indifferent()) {
    if (execution.inconclusive != nullptr) return false;
    matters = true;
    how = Ended::stopped;
  }
  if (how == Ended::complete) ++execution.counters.executions;
  if (how == Ended::blocked) ++execution.counters.blocked;
  if (execution.options.coverage && (how == Ended::complete || how == Ended::blocked))
    coverage.note(execution.graph());
  if (execution.options.dump && (how == Ended::complete || how == Ended::blocked))
    execution.listener->adds_execution(how);
  if (execution.violation.found) {
    if (checkpoint::found() && !execution.explorer.is_execution()) {
      execution.inconclusive = checkpoint::implausible();
      return false;
    }
    ++execution.counters.violations;
    if (execution.listener->keep_violation() && !matters && !is_told_again(how)) {
      execution.listener->drop_violation();
      return false;
    }
    if (!execution.options.all) return false;
  }
  return execution.inconclusive == nullptr;
}

// Says whether there was a reason.
bool Search::begin_anew() {
  if (!execution.begins_anew) return false;
  // What it has learned is not in a checkpoint: sitting after sitting might begin anew.
  if (checkpoint::found() && execution.counters.sittings_lost != 0) {
    execution.inconclusive =
        "a second sitting has met what makes the search begin anew: explore in one sitting "
        "(without a checkpoint)";
    return false;
  }
  execution.begins_anew = false;
  freed_memory.use_what_was_learned();
  prefix.forget();
  estimator.clear();
  execution.explorer.clear();
  execution.explorer.start();
  Counters fresh{};
  fresh.seconds = execution.counters.seconds;
  fresh.cpu_seconds = execution.counters.cpu_seconds;
  fresh.resumed = execution.counters.resumed;
  fresh.sittings_lost = execution.counters.sittings_lost + (checkpoint::found() ? 1 : 0);
  fresh.visited = execution.counters.visited;
  fresh.believed_private = execution.counters.believed_private;
  fresh.tried = execution.counters.tried;
  loop_rounds.begin_anew();
  execution.counters = fresh;
  seen_before_ = 0;
  execution.listener->begin_anew();
  return true;
}

void Search::keep_for_later() {
  FENCEPOST_CHECKER_STATE static char text[8192];
  const char* mistake = checkpoint::save();
  std::snprintf(text, sizeof text,
                mistake == nullptr
                    ? "%s; what is left is in %s, and the same command goes on from there"
                    : "%s; what is left could not be kept in %s: %s",
                execution.inconclusive, checkpoint::path(), mistake);
  execution.inconclusive = text;
}

void Search::check(int (*program_main)(int, char**, char**), int argc, char** argv, char** envp) {
  main_call_ = {program_main, argc, argv, envp};
  // A part of it lies in the program's own memory, where it is put back before each execution.
  std::locale::classic();
  execution.heap.keep_startup();
  execution.snapshot.take();
  find_streams();
  sort_exit_handlers();
  thread_specific.keep_startup();
  // MixedSize of the search would have to know the same loops.
  const bool may_learn_spins = !execution.options.symmetry && !execution.options.sites &&
                               execution.options.part < 0 &&
                               execution.options.channels == nullptr && !checkpoint::wanted();
  suggests_bounded_spins =
      may_learn_spins && !execution.options.bounded_spins && !execution.options.no_bounded_spins;
  execution.options.bounded_spins = execution.options.bounded_spins && may_learn_spins;
  const bool counts = execution.options.all || execution.options.dump ||
                      execution.options.coverage || execution.options.max_executions != 0 ||
                      execution.options.probe_runs != 0;
  if (may_learn_spins && !counts)
    event_bound.now = std::min(execution.options.many_events, execution.options.max_events);
  if (execution.options.part >= 0) worker::work_elsewhere(execution.options.part);
  bool more = true;
  if (!checkpoint::found()) {
    execution.explorer.start();
    estimator.seed(execution.options.seed);
    for (std::uint64_t k = 0; k < execution.options.probe_runs; ++k) {
      probe_once();
      begin_anew();
    }
    if (execution.counters.probes != 0) execution.listener->progress(execution.counters);
  } else if (checkpoint::restore()) {
    seen_before_ = execution.counters.executions + execution.counters.blocked;
    more = execution.explorer.next();
  } else {
    execution.inconclusive = checkpoint::implausible();
    execution.inconclusive_pc = 0;
    more = false;
  }
  while (more) {
    const Ended how = run_once();
    if (begin_anew()) continue;
    if (!tally(how)) break;
    more = execution.explorer.next();
    if (event_bound.is_tried && event_bound.is_done(more)) {
      more = begin_anew();
      continue;
    }
    if (!more) break;
    const bool look_at_clock = (execution.counters.replays & 63) == 0;
    if (execution.options.max_executions != 0 && executions_left() == 0) {
      execution.stop_for_now("the limit on executions was reached");
    }
    if (must_stop(look_at_clock)) {
      execution.explorer.put_back();
      break;
    }
    const bool share = execution.options.jobs > 1 || execution.options.channels != nullptr;
    if (share && !execution.options.sites && !event_bound.is_tried &&
        execution.counters.replays >= execution.options.alone) {
      execution.explorer.put_back();
      event_bound.now = EventBound::kNone;
      WorkerPool().run();
      break;
    }
    if (look_at_clock && progress_is_due()) {
      if (!event_bound.is_tried) probe();
      execution.listener->progress(execution.counters);
      begin_anew();
    }
  }
  if (execution.can_go_on && checkpoint::wanted()) keep_for_later();
  execution.listener->finish();
  __builtin_unreachable();
}

}  // namespace fencepost::checker
