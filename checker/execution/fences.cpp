// SPDX-License-Identifier: MIT
// Fences, and the asymmetric ones.
#include "execution/runtime.hpp"

namespace fencepost::checker {

void Runtime::fence(Order order, std::uint64_t pc) {
  if (order == Order::acquire) {
    load_fences = true;
    refuse_unordered_reads(pc);
  }
  if (order != Order::relaxed) add_fence(Operation::fence, order, 0, pc);
}

void Runtime::adds_without_result(std::uint64_t pc) {
  atomics_without_result = true;
  refuse_unordered_reads(pc);
}

void Runtime::refuse_unordered_reads(std::uint64_t pc) {
  if (load_fences && atomics_without_result) {
    unsupported(
        pc,
        "inline assembly is not modelled: an atomic instruction without a result (stadd and "
        "its like) in a program with a fence for loads, which does not order what it reads");
  }
}

void Runtime::light_fence(std::uint64_t pc) {
  add_fence(Operation::light_fence, Order::relaxed, kLight, pc);
}

void Runtime::heavy_fence(std::uint64_t pc) {
  counters.heavy_fences = 1;
  add_fence(Operation::heavy_fence, Order::seq_cst, kHeavy, pc);
}

void Runtime::add_fence(Operation what, Order order, std::uint16_t flags, std::uint64_t pc) {
  current->shows_writes();
  if (const Event* e = replay(Kind::fence, what, pc)) {
    same(e->order == order, pc);
    ++current->cursor;
    return;
  }
  before_new_event(pc);
  Event e{};
  e.kind = Kind::fence;
  e.what = what;
  e.order = order;
  e.flags = flags;
  e.pc = pc;
  e.effects = current->effects;
  explorer.add_event(current->id, e);
  ++current->cursor;
}

}  // namespace fencepost::checker
