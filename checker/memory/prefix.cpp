// SPDX-License-Identifier: MIT
// What main does before it makes its first thread, it does in every execution alike. Where that
// takes long (large containers are filled), it is not repeated: the program is kept as it is then,
// and the executions that follow resume from there.
//
// Kept is what decides how the program goes on: its memory, the stack and the state of main, and
// what is known of both. What is kept across executions anyway is left as it is; so are the graph's
// events of the prefix, which every later graph begins with. A choice among them would not be
// repeated in the same way, and what main has changed in the C++ library (a facet's users, a
// handler) is not put back: then nothing is kept.
#include "memory/prefix.hpp"

#include <cstring>

#include "execution/runtime.hpp"
#include "graph/state_section.hpp"
#include "loops/rounds.hpp"
#include "loops/spins.hpp"
#include "loops/unseen_code.hpp"
#include "machine/kernel.hpp"
#include "memory/regions.hpp"
#include "search/checkpoint.hpp"
#include "search/own_output.hpp"
#include "sync/clocks.hpp"

namespace fencepost::checker {
namespace {

constexpr double kLong = 1e-3;  // seconds

template <typename T>
void copy(Array<T>* to, const Array<T>& from) {
  to->assign(from.data(), from.size());
}

// The lowest word that has been written, since the process began, of a stack.
std::uintptr_t lowest_used(const Thread& t) {
  std::uintptr_t word = t.stack_low;
  while (word < t.stack_top && *reinterpret_cast<const std::uint64_t*>(word) == 0) word += 8;
  return word;
}

}  // namespace

FENCEPOST_CHECKER_STATE constinit Prefix prefix;

void Prefix::main_begins() {
  if (keeping == Keeping::undecided) begun = kernel::seconds();
  if (keeping == Keeping::wanted) runtime.snapshot.note_library();
}

bool Prefix::may_resume() {
  if (keeping != Keeping::kept || runs_whole) return false;
  if (uninitialised.follows_only &&
      !(runtime.heap.all_is_otherwise() && with(runtime.heap.other_contents()).is_known)) {
    return false;
  }
  if (own_output::is_kept() || (runtime.is_sample() && !is_traced)) return false;
  const Graph& g = runtime.graph();
  return g.size(0) > main.cursor;
}

// Does every graph to come begin with the events that main has made so far?
bool Prefix::is_fixed() {
  for (std::uint32_t i = 0; i < runtime.current->cursor; ++i) {
    if (runtime.graph().at(0, i).kind == Kind::choice) return false;
  }
  if (runtime.snapshot.has_library_changed()) return false;
  return runtime.deferred_races_.empty() && !runtime.deferred_.found && !spin_is_running() &&
         !is_in_spin();
}

void Prefix::end() {
  is_alone = false;
  if (keeping == Keeping::undecided) {
    const bool cannot = runtime.options.no_prefix || runtime.options.symmetry ||
                        runtime.options.coverage || has_unseen_code() || checkpoint::found();
    const bool is_long = runtime.options.keep_prefix || kernel::seconds() - begun >= kLong;
    keeping = is_long && !cannot ? Keeping::wanted : Keeping::never;
    return;
  }
  if (own_output::is_kept()) return;
  const bool compares = uninitialised.follows_only && keeping == Keeping::kept &&
                        runtime.heap.all_is_otherwise() &&
                        !with(runtime.heap.other_contents()).is_known;
  const bool keeps = !uninitialised.follows_only && keeping == Keeping::wanted;
  if (!compares && !keeps) return;
  runtime.settle_plain_writes();
  if (keeps && !is_fixed()) {
    keeping = Keeping::never;
    return;
  }
  is_ending = true;
  runtime.switch_to_scheduler();
}

// Main has come so far with other contents of fresh memory. Is everything as it was kept, but for
// what is such contents, too?
bool Prefix::differs_as_expected(const Bytes& kept, std::uintptr_t address) {
  Array<Extent>& fresh = with(runtime.heap.other_contents()).fresh;
  for (std::uint32_t i = 0; i < kept.size(); ++i) {
    const std::uintptr_t a = address + i;
    if (kept[i] == *reinterpret_cast<const char*>(a)) continue;
    if (static_cast<std::uint8_t>(kept[i]) != Heap::kFreshByte || !runtime.heap.is_fresh(a))
      return false;
    if (!fresh.empty() && fresh.back().address + fresh.back().size == a) {
      ++fresh.back().size;
    } else {
      fresh.push_back({a, 1});
    }
  }
  return true;
}

void Prefix::compare() {
  const Prefix& p = *this;
  const Thread& t = *runtime.current;
  Otherwise& otherwise = with(runtime.heap.other_contents());
  otherwise.fresh.clear();
  if (t.stack_pointer != p.main.stack_pointer || t.cursor != p.main.cursor ||
      t.effects != p.main.effects || uninitialised.printed[0] != p.printed) {
    return;
  }
  Bytes part;
  const auto is_otherwise = [&](const char* kept, std::uintptr_t address, std::size_t size) {
    part.assign(kept, size);
    return differs_as_expected(part, address);
  };
  const char* globals = p.globals.data();
  for (unsigned i = 0; i < runtime.snapshot.ranges(); ++i) {
    if (!is_otherwise(globals, runtime.snapshot.range_begin(i), runtime.snapshot.range_size(i)))
      return;
    globals += runtime.snapshot.range_size(i);
  }
  const auto live = reinterpret_cast<std::uintptr_t>(t.stack_pointer);
  const std::size_t below = p.stack.size() - (t.stack_top - live);
  otherwise.is_known =
      runtime.heap.end(0) - regions::heap(0) == runtime.heap.prefix().size() &&
      differs_as_expected(runtime.heap.prefix(), regions::heap(0)) &&
      differs_as_expected(p.variables, runtime.snapshot.variables_begin(t.thread_pointer)) &&
      is_otherwise(p.stack.data() + below, live, t.stack_top - live);
}

// On the scheduler's stack, from which main goes on.
void Prefix::look_at() {
  is_ending = false;
  if (uninitialised.follows_only) {
    compare();
  } else {
    keep();
  }
  fencepost_switch_stack(&runtime.scheduler_stack_, runtime.enter(runtime.threads_[0]));
}

void Prefix::keep() {
  Prefix& p = *this;
  const Thread& t = *runtime.current;
  p.keeping = Keeping::kept;
  p.is_traced = runtime.tracing_;
  p.main = t;
  p.stack_used = runtime.stack_used;
  p.entered_from = runtime.entered_from;
  p.printed = uninitialised.printed[0];
  p.trace = runtime.trace_[0];
  p.lock_was_tried = loop_rounds.lock_was_tried;
  p.globals.clear();
  for (unsigned i = 0; i < runtime.snapshot.ranges(); ++i) {
    put_bytes(&p.globals, reinterpret_cast<const void*>(runtime.snapshot.range_begin(i)),
              runtime.snapshot.range_size(i));
  }
  const std::uintptr_t variables = runtime.snapshot.variables_begin(t.thread_pointer);
  p.variables.assign(reinterpret_cast<const char*>(variables),
                     runtime.snapshot.variables_end(t.thread_pointer) - variables);
  const std::uintptr_t lowest = lowest_used(t);
  p.stack.assign(reinterpret_cast<const char*>(lowest), t.stack_top - lowest);
  copy(&p.stack_writes, stacks.writes[0]);
  copy(&p.stack_atomics, stacks.atomics[0]);
  p.scopes.assign(stacks.scopes[0]);
  copy(&p.stack_blocks, stacks.blocks[0]);
  copy(&p.time_passed, clocks.passed[0]);
  copy(&p.freed, freed_memory.freed[0]);
  copy(&p.registered, runtime.registered_[0]);
  copy(&p.destroyed, destroyed_objects);
  copy(&p.unwritten_reads, uninitialised.reads);
  copy(&p.unwritten_locals, uninitialised.locals);
  for (Otherwise& o : p.otherwise) o.is_known = false;
  runtime.heap.keep_prefix();
  runtime.shadow.keep_prefix();
}

// At the beginning of an execution.
void Prefix::resume() {
  runtime.counters.from_first_thread = 1;
  const Prefix& p = *this;
  const char* globals = p.globals.data();
  for (unsigned i = 0; i < runtime.snapshot.ranges(); ++i) {
    std::memcpy(reinterpret_cast<void*>(runtime.snapshot.range_begin(i)), globals,
                runtime.snapshot.range_size(i));
    globals += runtime.snapshot.range_size(i);
  }
  runtime.heap.resume_prefix();
  Thread& t = runtime.threads_[0];
  const std::uintptr_t deepest = t.deepest_stack;
  t = p.main;
  t.deepest_stack = deepest;
  t.log = runtime.graph().log(0);
  t.logged = runtime.graph().size(0);
  t.known = runtime.passes_quickly() ? t.logged : 0;
  runtime.set_state(t, ThreadState::ready);
  const std::uintptr_t lowest = t.stack_top - p.stack.size();
  if (deepest < lowest) std::memset(reinterpret_cast<void*>(deepest), 0, lowest - deepest);
  std::memcpy(reinterpret_cast<void*>(lowest), p.stack.data(), p.stack.size());
  std::memcpy(reinterpret_cast<void*>(runtime.snapshot.variables_begin(t.thread_pointer)),
              p.variables.data(), p.variables.size());
  if (uninitialised.follows_only) {
    for (const Extent& e : with(runtime.heap.other_contents()).fresh) {
      runtime.heap.fill(e.address, e.size);
    }
  }
  runtime.pending_[0].clear();
  copy(&stacks.writes[0], p.stack_writes);
  copy(&stacks.atomics[0], p.stack_atomics);
  stacks.scopes[0].assign(p.scopes);
  copy(&stacks.blocks[0], p.stack_blocks);
  copy(&clocks.passed[0], p.time_passed);
  copy(&freed_memory.freed[0], p.freed);
  copy(&runtime.registered_[0], p.registered);
  copy(&destroyed_objects, p.destroyed);
  copy(&uninitialised.reads, p.unwritten_reads);
  copy(&uninitialised.locals, p.unwritten_locals);
  uninitialised.printed[0] = p.printed;
  runtime.trace_[0] = p.trace;
  loop_rounds.lock_was_tried = p.lock_was_tried;
  runtime.stack_used = p.stack_used;
  runtime.entered_from = p.entered_from;
}

void Prefix::forget() {
  keeping = Keeping::undecided;
  runtime.shadow.forget_prefix();
}

}  // namespace fencepost::checker
