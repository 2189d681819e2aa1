// SPDX-License-Identifier: MIT
// What main does before it makes its first thread, it does in every execution alike; and likewise
// what it does until it has made the last of those that it makes one after the other, for in each
// execution main comes first. Where to put the program back is quicker, that is not repeated: the
// program is kept as it is then, and the executions that follow resume from there.
//
// Between two threads that it makes, main may access memory plainly: what others do to that memory
// races with it, which is found when they do it, for that is later in each execution.
//
// Kept is what decides how the program goes on: its memory, the stack and the state of main, and
// what is known of both. What is kept across executions anyway is left as it is; so are the graph's
// events of the prefix, which every later graph begins with. A choice among them would not be
// repeated in the same way, and what main has changed in the C++ library (a facet's users, a
// handler) is not put back: then nothing is kept.
#include "search/prefix.hpp"

#include <sys/auxv.h>
#include <sys/syscall.h>

#include <cstring>

#include "execution/above.hpp"
#include "execution/accesses/plain_accesses.hpp"
#include "execution/deferred_violations.hpp"
#include "execution/execution.hpp"
#include "execution/loops/rounds.hpp"
#include "execution/loops/spins.hpp"
#include "execution/loops/unseen_code.hpp"
#include "graph/state_section.hpp"
#include "machine/kernel.hpp"
#include "memory/few_bytes.hpp"
#include "memory/regions.hpp"
#include "search/checkpoint.hpp"
#include "search/own_output.hpp"
#include "search/search.hpp"
#include "sync/clocks.hpp"
#include "sync/process_end.hpp"

namespace fencepost::checker {
namespace {

// What is put back in the time that main took for the first time, at the least.
constexpr double kBytesPerSecond = 2e9;

template <typename T>
void copy(Array<T>* to, const Array<T>& from) {
  to->assign(from.data(), from.size());
}

// As what an object has left there, say.
bool is_unwritten(std::uintptr_t a) {
  const Cell* cell = execution.shadow.find(a);
  return cell != nullptr && !execution.shadow.is_fresh(cell) &&
         (cell->unwritten >> (a & 7) & 1) != 0;
}

// The lowest word that has been written of main's stack, since the process began. Pages that nobody
// has touched are not in memory, and are not looked at: that would take longer than the search of a
// small program.
std::uintptr_t lowest_used(const Thread& t) {
  const auto live = reinterpret_cast<std::uintptr_t>(t.stack_pointer);
  std::uintptr_t word = t.stack_low;
  unsigned char is_there[regions::kMainStackSize / 4096];
  if (kernel::call(SYS_mincore, static_cast<long>(t.stack_low),
                   static_cast<long>(t.stack_top - t.stack_low),
                   reinterpret_cast<long>(is_there)) == 0) {
    const std::uintptr_t page = getauxval(AT_PAGESZ);
    for (unsigned i = 0; word < live && (is_there[i] & 1) == 0; ++i) word += page;
  }
  while (word < live && *reinterpret_cast<const std::uint64_t*>(word) == 0) word += 8;
  return word < live ? word : live;
}

}  // namespace

FENCEPOST_CHECKER_STATE constinit Prefix prefix;
FENCEPOST_CHECKER_STATE constinit FirstThreads first_threads;

void Prefix::main_begins() {
  if (keeping_ == Keeping::undecided) begun_ = kernel::seconds();
  library_blocks_ = execution.library_blocks;
  if (keeping_ == Keeping::wanted) execution.snapshot.note_library();
}

bool Prefix::may_resume() {
  if (keeping_ != Keeping::kept || first_threads.runs_whole) return false;
  if (uninitialised.follows_only &&
      !(execution.heap.all_is_otherwise() && with(execution.heap.other_contents()).is_known)) {
    return false;
  }
  if (own_output::is_kept() || (search.is_sample() && !is_traced_)) return false;
  const Graph& g = execution.graph();
  return g.size(0) >= main_.cursor;
}

// Does every graph to come begin with the events that main has made so far?
bool Prefix::is_fixed() {
  for (std::uint32_t i = 0; i < execution.current->cursor; ++i) {
    if (execution.graph().at(0, i).kind == Kind::choice) return false;
  }
  if (execution.snapshot.has_library_changed()) return false;
  // What a library has at the moment is put back no more than its variables: the exception that is
  // on its way again, say.
  if (execution.library_blocks != library_blocks_) return false;
  return !any_deferred() && !spin_is_running() && !is_in_spin();
}

void Prefix::makes_threads() {
  first_threads.is_alone = false;
  first_threads.makes_more = keeping_ != Keeping::never && !own_output::is_kept();
  if (first_threads.makes_more) execution.current->known = 0;  // so that each event is seen to come
}

// Is it quicker to put it back than to repeat it?
bool Prefix::is_worth_it() {
  const Thread& t = *execution.current;
  const std::size_t bytes = t.stack_top - lowest_used(t) + execution.heap.size(0) +
                            execution.snapshot.variables_end(t.thread_pointer) -
                            execution.snapshot.variables_begin(t.thread_pointer);
  return static_cast<double>(bytes) < (kernel::seconds() - begun_) * kBytesPerSecond;
}

void Prefix::stop_looking() {
  first_threads.makes_more = false;
  execution.current->known = execution.passes_quickly() ? execution.current->logged : 0;
}

void Prefix::has_made_threads() {
  stop_looking();
  if (keeping_ == Keeping::undecided) {
    const bool cannot = execution.options.no_prefix || execution.options.symmetry ||
                        execution.options.coverage || has_unseen_code() || checkpoint::found();
    const bool wanted = !cannot && (execution.options.keep_prefix || is_worth_it());
    keeping_ = wanted ? Keeping::wanted : Keeping::never;
    return;
  }
  const bool compares = uninitialised.follows_only && keeping_ == Keeping::kept &&
                        execution.heap.all_is_otherwise() &&
                        !with(execution.heap.other_contents()).is_known;
  const bool keeps = !uninitialised.follows_only && keeping_ == Keeping::wanted;
  if (!compares && !keeps) return;
  settle_plain_writes();
  if (keeps && !is_fixed()) {
    keeping_ = Keeping::never;
    return;
  }
  is_ending = true;
  execution.switch_to_scheduler();
}

// Main has come so far with other contents of fresh memory. Is everything as it was kept, but for
// what is such contents, too?
bool Prefix::differs_as_expected(const Bytes& kept, std::uintptr_t address) {
  Array<Extent>& fresh = with(execution.heap.other_contents()).fresh;
  for (std::uint32_t i = 0; i < kept.size(); ++i) {
    const std::uintptr_t a = address + i;
    if (kept[i] == *reinterpret_cast<const char*>(a)) continue;
    const bool is_fresh = static_cast<std::uint8_t>(kept[i]) == Heap::kFreshByte || is_unwritten(a);
    if (!is_fresh || !execution.heap.is_fresh(a)) return false;
    if (!fresh.empty() && fresh.back().address + fresh.back().size == a) {
      ++fresh.back().size;
    } else {
      fresh.push_back({a, 1});
    }
  }
  return true;
}

void Prefix::compare() {
  const Thread& t = *execution.current;
  Otherwise& known = with(execution.heap.other_contents());
  known.fresh.clear();
  if (t.stack_pointer != main_.stack_pointer || t.cursor != main_.cursor ||
      t.effects != main_.effects || uninitialised.printed[0] != printed_) {
    return;
  }
  Bytes part;
  const auto is_otherwise = [&](const char* kept, std::uintptr_t address, std::size_t size) {
    part.assign(kept, size);
    return differs_as_expected(part, address);
  };
  const char* from = globals_.data();
  for (unsigned i = 0; i < execution.snapshot.ranges(); ++i) {
    if (!is_otherwise(from, execution.snapshot.range_begin(i), execution.snapshot.range_size(i)))
      return;
    from += execution.snapshot.range_size(i);
  }
  const auto live = reinterpret_cast<std::uintptr_t>(t.stack_pointer);
  const std::size_t below = stack_.size() - (t.stack_top - live);
  known.is_known =
      execution.heap.size(0) == execution.heap.prefix().size() &&
      differs_as_expected(execution.heap.prefix(), Heap::begin(0)) &&
      differs_as_expected(variables_, execution.snapshot.variables_begin(t.thread_pointer)) &&
      is_otherwise(stack_.data() + below, live, t.stack_top - live);
}

// On the scheduler's stack, from which main goes on.
void Prefix::look_at() {
  is_ending = false;
  if (uninitialised.follows_only) {
    compare();
  } else {
    keep();
  }
  execution.go_on_with(execution.threads[0]);
}

void Prefix::keep() {
  const Thread& t = *execution.current;
  keeping_ = Keeping::kept;
  is_traced_ = plain_accesses.tracing;
  main_ = t;
  stack_used_ = execution.stack_used;
  entered_from_ = execution.entered_from;
  printed_ = uninitialised.printed[0];
  trace_ = plain_accesses.trace[0];
  lock_was_tried_ = loop_rounds.lock_was_tried;
  main_returned_ = process_end.main_returned;
  ending_process_ = process_end.ending;
  globals_.clear();
  for (unsigned i = 0; i < execution.snapshot.ranges(); ++i) {
    put_bytes(&globals_, reinterpret_cast<const void*>(execution.snapshot.range_begin(i)),
              execution.snapshot.range_size(i));
  }
  const std::uintptr_t own = execution.snapshot.variables_begin(t.thread_pointer);
  variables_.assign(reinterpret_cast<const char*>(own),
                    execution.snapshot.variables_end(t.thread_pointer) - own);
  const std::uintptr_t lowest = lowest_used(t);
  stack_.assign(reinterpret_cast<const char*>(lowest), t.stack_top - lowest);
  made_.clear();
  for (unsigned id = 1; id < execution.thread_count; ++id) {
    const Thread& made = execution.threads[id];
    if (made.state != ThreadState::ready) continue;
    made_.push_back({id, made.detached, made.joined, made.created_by, made.entry, made.argument,
                     made.floating_point, made.stack_wanted,
                     thread_specific.of(id).blocked_signals});
  }
  copy(&stack_writes_, stacks[0].writes);
  copy(&stack_atomics_, stacks[0].atomics);
  scopes_.assign(stacks[0].scopes);
  copy(&stack_blocks_, stacks[0].blocks);
  copy(&time_passed_, clocks.passed[0]);
  copy(&freed_, freed_memory.freed[0]);
  copy(&registered_, process_end.registered[0]);
  thread_specific.keep(&specific_);
  copy(&destroyed_, destroyed_objects);
  copy(&unwritten_reads_, uninitialised.reads);
  copy(&unwritten_locals_, uninitialised.locals);
  for (Otherwise& o : otherwise_) o.is_known = false;
  execution.heap.keep_prefix();
  execution.shadow.keep_prefix();
}

// As they were when they had been made and had not begun.
void Prefix::resume_threads() {
  for (const Made& made : made_) {
    Thread& t = execution.threads[made.id];
    execution.start_thread(t, made.floating_point);
    if (made.blocked_signals != 0) {
      thread_specific.use(made.id).blocked_signals = made.blocked_signals;
    }
    t.entry = made.entry;
    t.argument = made.argument;
    t.created_by = made.created_by;
    t.detached = made.detached;
    t.joined = made.joined;
    t.stack_wanted = made.stack_wanted;
  }
}

// At the beginning of an execution.
void Prefix::resume() {
  execution.counters.from_first_thread = 1;
  const char* from = globals_.data();
  for (unsigned i = 0; i < execution.snapshot.ranges(); ++i) {
    copy_few(reinterpret_cast<void*>(execution.snapshot.range_begin(i)), from,
             execution.snapshot.range_size(i));
    from += execution.snapshot.range_size(i);
  }
  execution.heap.resume_prefix();
  Thread& t = execution.threads[0];
  const std::uintptr_t deepest = t.deepest_stack;
  t.resume(main_);
  t.deepest_stack = deepest;
  t.log = execution.graph().log(0);
  t.logged = execution.graph().size(0);
  t.known = execution.passes_quickly() ? t.logged : 0;
  execution.set_state(t, ThreadState::ready);
  // What lies below is neither in use nor looked at.
  const std::uintptr_t lowest = t.stack_top - stack_.size();
  const auto live = reinterpret_cast<std::uintptr_t>(t.stack_pointer);
  const std::uintptr_t from_there = deepest < live ? deepest : live;
  const std::uintptr_t first = from_there < lowest ? lowest : from_there;
  if (deepest < lowest) std::memset(reinterpret_cast<void*>(deepest), 0, lowest - deepest);
  copy_few(reinterpret_cast<void*>(first), stack_.data() + (first - lowest), t.stack_top - first);
  copy_few(reinterpret_cast<void*>(execution.snapshot.variables_begin(t.thread_pointer)),
           variables_.data(), variables_.size());
  if (uninitialised.follows_only) {
    for (const Extent& e : with(execution.heap.other_contents()).fresh) {
      execution.heap.fill(e.address, e.size);
    }
  }
  plain_accesses.pending[0].clear();
  copy(&stacks[0].writes, stack_writes_);
  copy(&stacks[0].atomics, stack_atomics_);
  stacks[0].scopes.assign(scopes_);
  copy(&stacks[0].blocks, stack_blocks_);
  copy(&clocks.passed[0], time_passed_);
  copy(&freed_memory.freed[0], freed_);
  copy(&process_end.registered[0], registered_);
  thread_specific.resume(specific_);
  copy(&destroyed_objects, destroyed_);
  copy(&uninitialised.reads, unwritten_reads_);
  copy(&uninitialised.locals, unwritten_locals_);
  uninitialised.printed[0] = printed_;
  plain_accesses.trace[0] = trace_;
  loop_rounds.lock_was_tried = lock_was_tried_;
  process_end.main_returned = main_returned_;
  process_end.ending = ending_process_;
  execution.stack_used = stack_used_;
  execution.entered_from = entered_from_;
  resume_threads();
}

void Prefix::forget() {
  keeping_ = Keeping::undecided;
  execution.shadow.forget_prefix();
}

void main_makes_threads() { prefix.makes_threads(); }
void main_has_made_threads() { prefix.has_made_threads(); }
void main_lets_others_run() { prefix.lets_others_run(); }
void forget_first_threads() { prefix.forget(); }

}  // namespace fencepost::checker
