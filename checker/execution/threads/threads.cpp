// SPDX-License-Identifier: MIT
// Threads of the program: how they are made, begin and end.
#include <sys/mman.h>

#include <cstddef>
#include <cstring>

#include "execution/above.hpp"
#include "execution/accesses/plain_accesses.hpp"
#include "execution/call_sites.hpp"
#include "execution/execution.hpp"
#include "execution/lifetimes/lifetimes.hpp"
#include "execution/lifetimes/stack/stacks.hpp"
#include "execution/loops/unseen_code.hpp"
#include "execution/objects.hpp"
#include "execution/threads/thread_specific.hpp"
#include "memory/few_bytes.hpp"
#include "memory/regions.hpp"

namespace fencepost::checker {

ThreadCall fencepost_thread_begins() {
  execution.in_program = true;
  execution.begin_thread();
  fencepost_wipe_stack(execution.stack_used);
  execution.stack_used = kReplayUses;
  return {execution.current->argument, execution.current->entry};
}

void fencepost_thread_ends(void* result) { execution.finish_thread(result); }

Thread& Execution::spawn(const Birth& birth, std::uint64_t pc) {
  if (first_threads.is_alone) main_makes_threads();
  Thread& parent = *current;
  unsigned id;
  unsigned elder = 0;
  if (Event* e = replay(Kind::create, Operation::none, pc)) {
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
    if (options.symmetry) elder = symmetry.elder(id, birth);
    create.value = elder;
    parent.effect();
    create.effects = parent.effects;
    explorer.add_event(parent.id, create);
  }
  Thread& t = threads[id];
  start_thread(t);
  thread_specific.inherit(id, parent.id);
  t.entry = birth.entry;
  t.argument = birth.argument;
  t.detached = birth.detached;
  t.stack_wanted = birth.stack;
  if (options.symmetry) symmetry.created(parent.id, id, elder, birth, pc);
  t.created_by = event_id(parent.id, parent.cursor);
  ++parent.cursor;
  return t;
}

// Nothing else is to be looked at when an access is passed that the graph has.
bool Execution::passes_quickly() const {
  return !options.symmetry && !has_unseen_code() && !call_sites.in_use() &&
         !objects.looks_at_initial_values;
}

void Execution::start_thread(Thread& t, std::uint64_t floating_point) {
  const auto id = static_cast<unsigned>(&t - threads);
  if (id >= thread_count) thread_count = id + 1;
  const std::uintptr_t pointer = t.thread_pointer;
  const std::uintptr_t deepest = t.deepest_stack;
  clear_few(&t, offsetof(Thread, sections));
  thread_specific.thread_begins(id);
  t.id = id;
  set_state(t, ThreadState::ready);
  t.stack_low = regions::stack_low(id);
  t.stack_top = regions::stack_top(id);
  plain_accesses.pending[id].clear();
  stacks[id].clear();
  t.log = graph().log(id);
  t.logged = graph().size(id);
  t.known = passes_quickly() ? t.logged : 0;
  t.created_by = kInitial;
  t.deepest_write = t.stack_top;
  t.thread_pointer = pointer;
  t.deepest_stack = deepest == 0 ? t.stack_top : deepest;
  // What a former execution left would make equal states look different.
  clear_few(reinterpret_cast<void*>(t.deepest_stack), t.stack_top - t.deepest_stack);
  if (pointer == 0) {
    mprotect(reinterpret_cast<void*>(t.stack_low - regions::kGuard), regions::kGuard, PROT_NONE);
    t.thread_pointer = snapshot.make_thread_storage(regions::tls(id), regions::kTlsSize);
    if (t.thread_pointer == 0) {
      listener->inconclusive_now(
          "the program has more thread-local variables than the checker can hold", 0);
    }
  }
  snapshot.restore_thread_storage(t.thread_pointer);
  t.floating_point = floating_point;
  t.stack_pointer = prepare_stack(reinterpret_cast<void*>(t.stack_top - 64), floating_point);
}

void Execution::begin_thread() {
  Thread& t = *current;
  if (replay(Kind::begin, Operation::none, 0) == nullptr) {
    before_new_event(0);
    Event e{};
    e.kind = Kind::begin;
    e.from = t.created_by;
    explorer.add_event(t.id, e);
  }
  ++t.cursor;
}

void Execution::run_thread_destructors() {
  Array<ExitHandler>& destructors = thread_specific.use(current->id).destructors;
  while (!destructors.empty()) {
    const ExitHandler handler = destructors.back();
    destructors.pop_back();
    handler.function(handler.object);
  }
}

void Execution::finish_thread(void* result) {
  Thread& t = *current;
  settle_plain_writes();
  if (!t.ends_process) {
    if (thread_specific.is_used(t.id)) run_thread_destructors();
    if (thread_specific.is_used(t.id) && !thread_specific.of(t.id).values.empty()) {
      key_destructors();
    }
  }
  t.result = result;
  if (!t.ends_process) end_variables();
  const Operation what = t.ends_process ? Operation::process_end : Operation::none;
  if (replay(Kind::end, what, 0) == nullptr) {
    before_new_event(0);
    Event e{};
    e.kind = Kind::end;
    e.what = what;
    explorer.add_event(t.id, e);
  }
  ++t.cursor;
  if (options.symmetry) symmetry.stops();
  set_state(t, ThreadState::finished);
  for (std::uint64_t left = in(ThreadState::blocked); left != 0; left &= left - 1) {
    Thread& other = threads[__builtin_ctzll(left)];
    if (other.block == Block::join && other.block_object == t.id) wake(other);
  }
  give_way();
  __builtin_unreachable();
}

bool knows_that_it_is_alone() {
  const Graph& g = execution.graph();
  for (unsigned i = 0; i < execution.thread_count; ++i) {
    if (i == execution.current->id) continue;
    const Thread& t = execution.threads[i];
    EventId created = kInitial;
    if (i != 0) {
      if (g.size(i) == 0 && t.state == ThreadState::absent) continue;
      created = g.size(i) == 0 ? t.created_by : g.at(i, 0).from;
      if (!Graph::includes(execution.clock(), created)) continue;
    }
    const std::uint32_t known = execution.clock()[i];
    if (known == 0 || g.at(i, known - 1).kind != Kind::end) return false;
  }
  return true;
}

}  // namespace fencepost::checker
