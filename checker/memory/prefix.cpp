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
#include <cstring>

#include "execution/runtime.hpp"
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

bool Runtime::may_resume() {
  if (prefix_.keeping != Prefix::Keeping::kept || runs_whole_) return false;
  if (follows_only_ && !(heap.all_is_otherwise() && prefix_.with(heap.other_contents()).is_known)) {
    return false;
  }
  if (own_output::is_kept() || (is_sample() && !prefix_.is_traced)) return false;
  const Graph& g = graph();
  return g.size(0) > prefix_.main.cursor;
}

// Does every graph to come begin with the events that main has made so far?
bool Runtime::is_prefix_fixed() {
  for (std::uint32_t i = 0; i < current->cursor; ++i) {
    if (graph().at(0, i).kind == Kind::choice) return false;
  }
  if (snapshot.has_library_changed()) return false;
  return deferred_races_.empty() && !deferred_.found && spins_.running == nullptr && !is_in_spin();
}

void Runtime::end_prefix() {
  alone_ = false;
  using Keeping = Prefix::Keeping;
  if (prefix_.keeping == Keeping::undecided) {
    const bool cannot = options.no_prefix || options.symmetry || options.coverage ||
                        has_unseen_code() || checkpoint::found();
    const bool is_long = options.keep_prefix || kernel::seconds() - prefix_.begun >= kLong;
    prefix_.keeping = is_long && !cannot ? Keeping::wanted : Keeping::never;
    return;
  }
  if (own_output::is_kept()) return;
  const bool compares = follows_only_ && prefix_.keeping == Keeping::kept &&
                        heap.all_is_otherwise() && !prefix_.with(heap.other_contents()).is_known;
  const bool keeps = !follows_only_ && prefix_.keeping == Keeping::wanted;
  if (!compares && !keeps) return;
  settle_plain_writes();
  if (keeps && !is_prefix_fixed()) {
    prefix_.keeping = Keeping::never;
    return;
  }
  prefix_.is_ending = true;
  switch_to_scheduler();
}

// Main has come so far with other contents of fresh memory. Is everything as it was kept, but for
// what is such contents, too?
bool Runtime::is_prefix_otherwise(const Bytes& kept, std::uintptr_t address) {
  Array<Prefix::Extent>& fresh = prefix_.with(heap.other_contents()).fresh;
  for (std::uint32_t i = 0; i < kept.size(); ++i) {
    const std::uintptr_t a = address + i;
    if (kept[i] == *reinterpret_cast<const char*>(a)) continue;
    if (static_cast<std::uint8_t>(kept[i]) != Heap::kFreshByte || !heap.is_fresh(a)) return false;
    if (!fresh.empty() && fresh.back().address + fresh.back().size == a) {
      ++fresh.back().size;
    } else {
      fresh.push_back({a, 1});
    }
  }
  return true;
}

void Runtime::compare_prefix() {
  const Prefix& p = prefix_;
  const Thread& t = *current;
  Prefix::Otherwise& otherwise = prefix_.with(heap.other_contents());
  otherwise.fresh.clear();
  if (t.stack_pointer != p.main.stack_pointer || t.cursor != p.main.cursor ||
      t.effects != p.main.effects || printed_[0] != p.printed) {
    return;
  }
  Bytes part;
  const auto is_otherwise = [&](const char* kept, std::uintptr_t address, std::size_t size) {
    part.assign(kept, size);
    return is_prefix_otherwise(part, address);
  };
  const char* globals = p.globals.data();
  for (unsigned i = 0; i < snapshot.ranges(); ++i) {
    if (!is_otherwise(globals, snapshot.range_begin(i), snapshot.range_size(i))) return;
    globals += snapshot.range_size(i);
  }
  const auto live = reinterpret_cast<std::uintptr_t>(t.stack_pointer);
  const std::size_t below = p.stack.size() - (t.stack_top - live);
  otherwise.is_known =
      heap.end(0) - regions::heap(0) == heap.prefix().size() &&
      is_prefix_otherwise(heap.prefix(), regions::heap(0)) &&
      is_prefix_otherwise(p.variables, snapshot.variables_begin(t.thread_pointer)) &&
      is_otherwise(p.stack.data() + below, live, t.stack_top - live);
}

// On the scheduler's stack, from which main goes on.
void Runtime::look_at_prefix() {
  prefix_.is_ending = false;
  if (follows_only_) {
    compare_prefix();
  } else {
    keep_prefix();
  }
  fencepost_switch_stack(&scheduler_stack_, enter(threads_[0]));
}

void Runtime::keep_prefix() {
  Prefix& p = prefix_;
  const Thread& t = *current;
  p.keeping = Prefix::Keeping::kept;
  p.is_traced = tracing_;
  p.main = t;
  p.stack_used = stack_used;
  p.entered_from = entered_from;
  p.printed = printed_[0];
  p.trace = trace_[0];
  p.lock_was_tried = lock_was_tried_;
  p.globals.clear();
  for (unsigned i = 0; i < snapshot.ranges(); ++i) {
    put_bytes(&p.globals, reinterpret_cast<const void*>(snapshot.range_begin(i)),
              snapshot.range_size(i));
  }
  const std::uintptr_t variables = snapshot.variables_begin(t.thread_pointer);
  p.variables.assign(reinterpret_cast<const char*>(variables),
                     snapshot.variables_end(t.thread_pointer) - variables);
  const std::uintptr_t lowest = lowest_used(t);
  p.stack.assign(reinterpret_cast<const char*>(lowest), t.stack_top - lowest);
  copy(&p.stack_writes, stack_writes_[0]);
  copy(&p.stack_atomics, stack_atomics_[0]);
  p.scopes.assign(scopes_[0]);
  copy(&p.stack_blocks, stack_blocks_[0]);
  copy(&p.time_passed, clocks.passed[0]);
  copy(&p.freed, freed_[0]);
  copy(&p.registered, registered_[0]);
  copy(&p.destroyed, destroyed_);
  copy(&p.unwritten_reads, unwritten_reads_);
  copy(&p.unwritten_locals, unwritten_locals_);
  for (Prefix::Otherwise& o : p.otherwise) o.is_known = false;
  heap.keep_prefix();
  shadow.keep_prefix();
}

// At the beginning of an execution.
void Runtime::resume_prefix() {
  counters.from_first_thread = 1;
  const Prefix& p = prefix_;
  const char* globals = p.globals.data();
  for (unsigned i = 0; i < snapshot.ranges(); ++i) {
    std::memcpy(reinterpret_cast<void*>(snapshot.range_begin(i)), globals, snapshot.range_size(i));
    globals += snapshot.range_size(i);
  }
  heap.resume_prefix();
  Thread& t = threads_[0];
  const std::uintptr_t deepest = t.deepest_stack;
  t = p.main;
  t.deepest_stack = deepest;
  t.log = graph().log(0);
  t.logged = graph().size(0);
  t.known = passes_quickly() ? t.logged : 0;
  set_state(t, ThreadState::ready);
  const std::uintptr_t lowest = t.stack_top - p.stack.size();
  if (deepest < lowest) std::memset(reinterpret_cast<void*>(deepest), 0, lowest - deepest);
  std::memcpy(reinterpret_cast<void*>(lowest), p.stack.data(), p.stack.size());
  std::memcpy(reinterpret_cast<void*>(snapshot.variables_begin(t.thread_pointer)),
              p.variables.data(), p.variables.size());
  if (follows_only_) {
    for (const Prefix::Extent& e : prefix_.with(heap.other_contents()).fresh) {
      heap.fill(e.address, e.size);
    }
  }
  pending_[0].clear();
  copy(&stack_writes_[0], p.stack_writes);
  copy(&stack_atomics_[0], p.stack_atomics);
  scopes_[0].assign(p.scopes);
  copy(&stack_blocks_[0], p.stack_blocks);
  copy(&clocks.passed[0], p.time_passed);
  copy(&freed_[0], p.freed);
  copy(&registered_[0], p.registered);
  copy(&destroyed_, p.destroyed);
  copy(&unwritten_reads_, p.unwritten_reads);
  copy(&unwritten_locals_, p.unwritten_locals);
  printed_[0] = p.printed;
  trace_[0] = p.trace;
  lock_was_tried_ = p.lock_was_tried;
  stack_used = p.stack_used;
  entered_from = p.entered_from;
}

void Runtime::forget_prefix() {
  prefix_.keeping = Prefix::Keeping::undecided;
  shadow.forget_prefix();
}

}  // namespace fencepost::checker
