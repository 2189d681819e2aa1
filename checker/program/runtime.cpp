// SPDX-License-Identifier: MIT
#include "program/runtime.hpp"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

#include "graph/state_section.hpp"
#include "program/call_sites.hpp"
#include "program/checkpoint.hpp"
#include "program/crew.hpp"
#include "program/kernel.hpp"
#include "program/regions.hpp"
#include "program/unseen_code.hpp"
#include "program/worker.hpp"
#include "verdict/kept_violation.hpp"
#include "verdict/report.hpp"

namespace fencepost::checker {

FENCEPOST_CHECKER_STATE constinit Runtime runtime;

namespace {

struct MainCall {
  int (*function)(int, char**, char**);
  int argc;
  char** argv;
  char** envp;
};
FENCEPOST_CHECKER_STATE constinit MainCall main_call{};
alignas(16) FENCEPOST_CHECKER_STATE char signal_stack[65536];
FENCEPOST_CHECKER_STATE std::uint64_t last_heartbeat;
FENCEPOST_CHECKER_STATE int silent_seconds;

constexpr int kSecondsWithoutEvents = 10;

constexpr std::uint64_t kFirstSamples = 8;
constexpr std::uint64_t kSampleEvery = 4096;

void* call_main(void*) {
  runtime.begin_main();
  const int status = main_call.function(main_call.argc, main_call.argv, main_call.envp);
  fencepost_wipe_stack(kAddingUses);
  runtime.end_process(EndsBy::main_returns, status, 0);
}

void on_interrupt(int) {
  if (runtime.interrupted) {
    report::inconclusive_now("interrupted", 0);
  }
  runtime.interrupted = true;
}

// Once a second: a thread that computes for ever calls nothing that would notice.
void on_tick(int, siginfo_t*, void* context) {
  if (!runtime.in_program || runtime.heartbeat != last_heartbeat) {
    last_heartbeat = runtime.heartbeat;
    silent_seconds = 0;
    return;
  }
  if (runtime.interrupted) report::inconclusive_now("interrupted", 0);
  if (++silent_seconds >= kSecondsWithoutEvents) {
    report::inconclusive_now(
        "a thread runs on and on without any operation that the checker sees (an endless loop?)",
        interrupted_pc(context));
  }
}

void on_crash(int signal, siginfo_t* info, void* context) {
  Runtime& r = runtime;
  const std::uint64_t pc = interrupted_pc(context);
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  if (r.current == nullptr || !r.in_program) {
    report::inconclusive_now("the program crashed outside main, or the checker did", pc);
  }
  const Thread& t = *r.current;
  char what[160];
  if (signal == SIGSEGV && address + regions::kGuard >= t.stack_low && address < t.stack_low) {
    std::snprintf(what, sizeof what,
                  "thread %u has used up its stack of %lu KiB (endless recursion?)", t.id,
                  static_cast<unsigned long>((t.stack_top - t.stack_low) >> 10));
  } else {
    const char* name = signal == SIGSEGV   ? "SIGSEGV"
                       : signal == SIGBUS  ? "SIGBUS"
                       : signal == SIGFPE  ? "SIGFPE"
                       : signal == SIGTRAP ? "SIGTRAP"
                                           : "SIGILL";
    std::snprintf(what, sizeof what, "thread %u crashes with %s (address 0x%lx)", t.id, name,
                  static_cast<unsigned long>(address));
  }
  // Alone in the program, a thread crashes in every run: there is nothing to be said of orderings.
  if (r.thread_count() <= 1) report::inconclusive_now(what, pc + 1);
  if (!r.certain()) {
    report::inconclusive_now(
        "the program crashes in an execution of which it is not certain that the model has it; "
        "another model may tell why",
        pc + 1);
  }
  r.violation = Violation{};
  r.violation.found = true;
  r.violation.kind = "memory";
  std::snprintf(r.violation.message, sizeof r.violation.message, "%s", what);
  r.violation.thread = t.id;
  r.violation.pc = pc + 1;  // places are looked up just before a return address
  ++r.totals.violations;
  report::keep_violation();
  report::finish();
}

void install(int signal, void (*handler)(int, siginfo_t*, void*)) {
  struct sigaction action = {};
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  sigaction(signal, &action, nullptr);
}

void install_signals() {
  stack_t stack = {};
  stack.ss_sp = signal_stack;
  stack.ss_size = sizeof signal_stack;
  sigaltstack(&stack, nullptr);
  // A trap that the compiler puts in is SIGILL on x86-64 and SIGTRAP on AArch64.
  for (int s : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP}) install(s, on_crash);
  install(SIGALRM, on_tick);
  struct sigaction interrupt = {};
  interrupt.sa_handler = on_interrupt;
  interrupt.sa_flags = SA_ONSTACK | SA_RESTART;
  sigaction(SIGINT, &interrupt, nullptr);
  sigaction(SIGTERM, &interrupt, nullptr);
  signal(SIGPIPE, SIG_IGN);
}

void start_ticking() {
  // The kernel's own timer: setitimer of the C library is not replaced, but stay independent of it.
  struct {
    long interval_seconds, interval_micros, seconds, micros;
  } every_second = {1, 0, 1, 0};
  kernel::call(SYS_setitimer, 0, reinterpret_cast<long>(&every_second), 0);
}

}  // namespace

ThreadCall fencepost_thread_begins() {
  Runtime& r = runtime;
  r.in_program = true;
  r.begin_thread();
  fencepost_wipe_stack(r.stack_used);
  r.stack_used = kReplayUses;
  return {r.current->argument, r.current->entry};
}

void fencepost_thread_ends(void* result) { runtime.finish_thread(result); }

double Runtime::seconds() const { return kernel::seconds() - started_; }

void Runtime::violate(const char* kind, std::uint64_t pc, const char* format, ...) {
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
  if (!certain()) put_aside();
  stop_execution();
}

void Runtime::unsupported(std::uint64_t pc, const char* format, ...) {
  FENCEPOST_CHECKER_STATE static char message[512];
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  if (!active) report::inconclusive_now(message, pc);
  inconclusive = message;
  inconclusive_pc = pc;
  stop_execution();
}

Thread& Runtime::spawn(const Birth& birth, std::uint64_t pc) {
  Thread& parent = *current;
  unsigned id;
  unsigned elder = 0;
  if (Event* e = replay(Kind::create, What::none, pc)) {
    id = static_cast<unsigned>(e->operand);
    elder = static_cast<unsigned>(e->value);
    parent.repeat(*e);
  } else {
    before_new_event(pc);
    std::uint64_t used = 1;
    for (unsigned t = 0; t < graph().threads(); ++t) {
      for (unsigned i = 0; i < graph().size(t); ++i) {
        const Event& x = graph().at(t, i);
        if (x.kind == Kind::create) used |= std::uint64_t{1} << x.operand;
      }
    }
    if (used == ~std::uint64_t{0}) unsupported(pc, "more than %u threads", kMaxThreads);
    id = static_cast<unsigned>(__builtin_ctzll(~used));
    Event create{};
    create.kind = Kind::create;
    create.pc = pc;
    create.operand = id;
    if (options.symmetry) elder = twins.elder(id, birth);
    create.value = elder;
    parent.effect();
    create.effects = parent.effects;
    explorer.add_event(parent.id, create);
  }
  Thread& t = threads_[id];
  start_thread(t);
  t.entry = birth.entry;
  t.argument = birth.argument;
  t.detached = birth.detached;
  if (options.symmetry) twins.created(parent.id, id, elder, birth, pc);
  t.created_by = event_id(parent.id, parent.cursor);
  ++parent.cursor;
  return t;
}

// Nothing else is to be looked at when an access is passed that the graph has.
bool Runtime::passes_quickly() const {
  return !options.symmetry && !has_unseen_code() && !call_sites.in_use();
}

void Runtime::start_thread(Thread& t) {
  const auto id = static_cast<unsigned>(&t - threads_);
  if (id >= thread_count_) thread_count_ = id + 1;
  const std::uintptr_t pointer = t.thread_pointer;
  const std::uintptr_t deepest = t.deepest_stack;
  if (t.keys_used) std::memset(t.keys, 0, sizeof t.keys);
  std::memset(static_cast<void*>(&t), 0, offsetof(Thread, exit_handlers));
  t.id = id;
  t.state = ThreadState::ready;
  t.stack_low = regions::stack_low(id);
  t.stack_top = regions::stack_top(id);
  pending_[id].clear();
  stack_writes_[id].clear();
  stack_atomics_[id].clear();
  registered_[id].clear();
  t.log = graph().log(id);
  t.logged = graph().size(id);
  t.known = passes_quickly() ? t.logged : 0;
  t.created_by = kInitial;
  t.deepest_write = t.stack_top;
  t.thread_pointer = pointer;
  t.deepest_stack = deepest == 0 ? t.stack_top : deepest;
  // What a former execution left would make equal states look different.
  std::memset(reinterpret_cast<void*>(t.deepest_stack), 0, t.stack_top - t.deepest_stack);
  if (pointer == 0) {
    mprotect(reinterpret_cast<void*>(t.stack_low - regions::kGuard), regions::kGuard, PROT_NONE);
    t.thread_pointer = snapshot.make_thread_storage(regions::tls(id), regions::kTlsSize);
    if (t.thread_pointer == 0) {
      report::inconclusive_now(
          "the program has more thread-local variables than the checker can hold", 0);
    }
  }
  snapshot.restore_thread_storage(t.thread_pointer);
  t.stack_pointer = prepare_stack(reinterpret_cast<void*>(t.stack_top - 64));
}

void Runtime::begin_thread() {
  Thread& t = *current;
  if (replay(Kind::begin, What::none, 0) == nullptr) {
    before_new_event(0);
    Event e{};
    e.kind = Kind::begin;
    e.from = t.created_by;
    explorer.add_event(t.id, e);
  }
  ++t.cursor;
}

void Runtime::run_thread_destructors() {
  Thread& t = *current;
  while (t.exit_handler_count > 0) {
    const ExitHandler handler = t.exit_handlers[--t.exit_handler_count];
    handler.function(handler.object);
  }
}

void Runtime::finish_thread(void* result) {
  Thread& t = *current;
  if (!t.ends_process) {
    run_thread_destructors();
    if (t.keys_used) key_destructors();
  }
  t.result = result;
  const What what = t.ends_process ? What::process_end : What::none;
  if (replay(Kind::end, what, 0) == nullptr) {
    before_new_event(0);
    Event e{};
    e.kind = Kind::end;
    e.what = what;
    explorer.add_event(t.id, e);
  }
  ++t.cursor;
  if (options.symmetry) twins.stops();
  t.state = ThreadState::finished;
  for (unsigned i = 0; i < thread_count_; ++i) {
    Thread& other = threads_[i];
    if (other.state == ThreadState::blocked && other.block == Block::join &&
        other.block_object == t.id) {
      wake(other);
    }
  }
  give_way();
  __builtin_unreachable();
}

Thread* Runtime::pick() {
  if (replaying_) {
    for (unsigned i = 0; i < thread_count_; ++i) {
      Thread* t = &threads_[i];
      if (t->state == ThreadState::absent || t->cursor >= graph().size(i)) continue;
      // Whoever it waits for goes first, and so on; program order and reads-from have no cycle.
      for (;;) {
        if (t->state == ThreadState::waiting) {
          const EventId e = t->waits_for;
          if (threads_[e.thread()].cursor > e.index()) break;
          t = &threads_[e.thread()];
        } else if (t->state == ThreadState::absent) {
          t = &threads_[graph().at(t->id, 0).from.thread()];
        } else {
          break;
        }
      }
      t->state = ThreadState::ready;
      return t;
    }
    replaying_ = false;
  }
  Thread* next = nullptr;
  Thread* last = nullptr;
  const auto last_event_of = [&](const Thread& t) { return event_id(t.id, t.cursor - 1); };
  for (unsigned i = 0; i < thread_count_; ++i) {
    Thread& t = threads_[i];
    if (t.state != ThreadState::ready) continue;
    if (t.cursor != 0 && is_unfinished(graph().at(last_event_of(t)))) {
      if (!lets_others_go_first(last_event_of(t))) {
        next = &t;
        break;
      }
      const auto begun = [&](const Thread& x) { return graph().at(last_event_of(x)).stamp; };
      if (last == nullptr || begun(t) > begun(*last)) last = &t;
    } else if (next == nullptr) {
      next = &t;
    }
  }
  if (next == nullptr) next = last;
  if (next != nullptr) turn_ = static_cast<int>(next->id);
  return next;
}

// A futex's wait reads the queue, then the word, and only then is it known what it writes to the
// queue. If another operation has the place in the queue that it is to take, its write revisits
// that one, and the graph is then done with; so whoever could still write the word must come before
// that, or the wait would never read from them. All the others go as far as they can, then the one
// that has begun last.
bool Runtime::lets_others_go_first(EventId last) {
  Graph& g = graph();
  const Event& e = g.at(last);
  return e.kind == Kind::read && e.what == What::futex_wait &&
         g.rmw_reader(e.location, e.from, last) != kInitial;
}

Ended Runtime::run_once() {
  Graph& g = graph();
  ++totals.replays;
  if (objects_moved_) show_objects(g);
  snapshot.restore();
  heap.reset();
  shadow.new_execution();
  if (options.symmetry) twins.new_execution();
  for (unsigned i = 0; i < thread_count_; ++i) threads_[i].state = ThreadState::absent;
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
  aside_.found = false;
  nobody_is_last_ = false;
  suspicions_.clear();
  destroyed_.clear();
  exited = false;
  main_returned = false;
  ending_ = kMaxThreads;
  replaying_ = true;
  turn_ = -1;
  start_thread(threads_[0]);
  threads_[0].entry = call_main;
  ended = Ended::complete;
  active = true;
  while (Thread* t = pick()) {
    // Threads give way to each other, and come back when nobody can go on. The scheduler itself has
    // no use for thread-local variables and keeps those of the last one.
    fencepost_switch_stack(&scheduler_stack_, enter(*t));
    if (ended != Ended::complete) break;
  }
  set_thread_pointer(own_thread_pointer_);
  active = false;
  if (ended == Ended::complete) judge_execution();
  if (ended == Ended::complete) {
    for (unsigned i = 0; i < thread_count_; ++i) {
      if (threads_[i].state == ThreadState::blocked) ended = Ended::blocked;
    }
    const bool daemons_wait = ended == Ended::blocked && judge_blocked();
    // What a daemon has is in use.
    if (ended == Ended::complete && options.leaks) judge_leaks();
    if (daemons_wait) ended = Ended::complete;
    if (ended == Ended::complete) note_handlers_left();
  }
  const unsigned events = g.event_count();
  if (events > totals.most_events) totals.most_events = events;
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
  const std::uint64_t before = totals.replays;
  const bool runs = estimator.begin();
  // What it found stands; the search will come to it in its turn.
  const bool complete = runs && run_once() == Ended::complete;
  if (estimator.end(complete)) {
    ++totals.probes;
    totals.probed_executions += estimator.estimate();
  }
  totals.replays = before;
  violation.found = false;
  inconclusive = nullptr;
}

bool Runtime::progress_is_due() {
  const double now = seconds();
  if (options.progress <= 0 || now - last_progress_ < options.progress) return false;
  last_progress_ = now;
  return true;
}

bool Runtime::limit_is_met(const Totals& so_far, bool look_at_clock) {
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

void Runtime::initialise(const Options& wanted) {
  options = wanted;
  started_ = kernel::seconds();
  explorer.use(options.model, options.symmetry);
  own_thread_pointer_ = thread_pointer();
  objects_.push_back({0, 0, ObjectKind::atomic});
  snapshot.find();
  shadow.initialise(snapshot.data_begin(), snapshot.data_end());
  install_signals();
  start_ticking();
}

// Signals that ask to stop are the business of the process that it works for.
void Runtime::prepare_worker() {
  signal(SIGINT, SIG_IGN);
  signal(SIGTERM, SIG_IGN);
  start_ticking();
}

// Every execution is run again along a part of its graph many times, and each time its events are
// compared. Where nothing is left to compare, after the last event, a few executions are run again
// as a whole; and so is each that is told as a counterexample.
bool Runtime::is_sample() const {
  return totals.replays < kFirstSamples || totals.replays % kSampleEvery == 0;
}

bool Runtime::happens_again(Ended how) {
  const Violation before = violation;
  std::uint64_t traces[kMaxThreads];
  std::memcpy(traces, trace_, sizeof traces);
  const unsigned events = graph().event_count();
  --totals.replays;
  const Ended again = run_once();
  const bool same_end = again == how && violation.found == before.found &&
                        graph().event_count() == events && inconclusive == nullptr;
  // One that a violation cut short may have come less far in other threads.
  const bool whole = how == Ended::complete || how == Ended::blocked;
  const bool same_way = !tracing_ || !whole || std::memcmp(traces, trace_, sizeof traces) == 0;
  violation = before;
  if (same_end && same_way) return true;
  if (inconclusive == nullptr) {
    inconclusive =
        "the program does not do the same again when it is run again with the same values read: "
        "does it use uninitialised memory, addresses, or something outside itself?";
    inconclusive_pc = 0;
  }
  return false;
}

bool Runtime::tally(Ended how) {
  if (how != Ended::dropped && inconclusive == nullptr && tracing_ && !violation.found &&
      !happens_again(how)) {
    return false;
  }
  if (how == Ended::complete) ++totals.executions;
  if (how == Ended::blocked) ++totals.blocked;
  if (options.dump && (how == Ended::complete || how == Ended::blocked)) report::execution(how);
  if (violation.found) {
    ++totals.violations;
    if (report::keep_violation() && !happens_again(how)) {
      report::drop_violation();
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
  main_call = {program_main, argc, argv, envp};
  heap.keep_startup();
  snapshot.take();
  sort_exit_handlers();
  if (options.part >= 0) worker::work_elsewhere(options.part);
  bool more = true;
  if (!checkpoint::found()) {
    explorer.start();
    estimator.seed(options.seed);
    for (std::uint64_t k = 0; k < options.probe_runs; ++k) {
      probe_once();
      begin_anew();
    }
    if (totals.probes != 0) report::progress(totals);
  } else if (checkpoint::restore()) {
    seen_before_ = totals.executions + totals.blocked;
    more = explorer.next();
  } else {
    inconclusive = "the checkpoint is of this program, but what it says makes no sense";
    more = false;
  }
  while (more) {
    const Ended how = run_once();
    if (begin_anew()) continue;
    if (!tally(how)) break;
    more = explorer.next();
    if (!more) break;
    const bool look_at_clock = (totals.replays & 63) == 0;
    if (limit_is_met(totals, look_at_clock)) {
      explorer.put_back();
      break;
    }
    const bool share = options.jobs > 1 || options.lines != nullptr;
    if (share && !options.sites && totals.replays >= options.alone) {
      explorer.put_back();
      Crew().run();
      break;
    }
    if (look_at_clock && progress_is_due()) {
      probe();
      report::progress(totals);
      begin_anew();
    }
  }
  if (can_go_on && checkpoint::wanted()) keep_for_later();
  report::finish();
}

}  // namespace fencepost::checker
