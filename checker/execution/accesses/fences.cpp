// SPDX-License-Identifier: MIT
// Fences, and the asymmetric ones.
#include "execution/accesses/fences.hpp"

#include "execution/execution.hpp"
#include "graph/state_section.hpp"

namespace fencepost::checker {
namespace {

// What the program has done in any execution; see adds_without_result.
FENCEPOST_CHECKER_STATE bool load_fences = false;
FENCEPOST_CHECKER_STATE bool atomics_without_result = false;

void refuse_unordered_reads(std::uint64_t pc) {
  if (load_fences && atomics_without_result) {
    execution.unsupported(
        pc,
        "inline assembly is not modelled: an atomic instruction without a result (stadd and "
        "its like) in a program with a fence for loads, which does not order what it reads");
  }
}

void add_fence(Operation what, Order order, std::uint16_t flags, std::uint64_t pc) {
  execution.current->shows_writes();
  if (const Event* e = execution.replay(Kind::fence, what, pc)) {
    execution.same(e->order == order, pc);
    ++execution.current->cursor;
    return;
  }
  execution.before_new_event(pc);
  Event e{};
  e.kind = Kind::fence;
  e.what = what;
  e.order = order;
  e.flags = flags;
  e.pc = pc;
  e.effects = execution.current->effects;
  execution.explorer.add_event(execution.current->id, e);
  ++execution.current->cursor;
}

}  // namespace

void atomic_fence(Order order, std::uint64_t pc) {
  if (order == Order::acquire) {
    load_fences = true;
    refuse_unordered_reads(pc);
  }
  if (order == Order::relaxed) return;
  execution.current->has_fenced = true;
  if (execution.current->has_failed) execution.counters.fenced_attempts = 1;
  add_fence(Operation::fence, order, 0, pc);
}

void attempt_fails() {
  execution.current->has_failed = true;
  if (execution.current->has_fenced) execution.counters.fenced_attempts = 1;
}

void adds_without_result(std::uint64_t pc) {
  atomics_without_result = true;
  refuse_unordered_reads(pc);
}

void light_fence(std::uint64_t pc) {
  add_fence(Operation::light_fence, Order::relaxed, kLight, pc);
}

void heavy_fence(std::uint64_t pc) {
  execution.counters.heavy_fences = 1;
  add_fence(Operation::heavy_fence, Order::seq_cst, kHeavy, pc);
}

}  // namespace fencepost::checker
