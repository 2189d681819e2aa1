// SPDX-License-Identifier: MIT
// Memory that a function takes from the stack as it runs: arrays of variable length, alloca. And
// what has been left behind below the stack.
//
// The compiler announces each block, where it saves the stack (at the beginning of a function that
// takes blocks, and of a scope with such arrays), and where the stack goes back there. What was
// taken in between ends then, like a local variable whose scope ends (scopes.cpp). Not addresses
// tell what that is: optimisation may give a block a place of its own in the function's frame.
//
// An exception goes past all that, and so does longjmp. Where one lands, everything below the stack
// has ended. So has, at any time, what lies below the stack of the thread that comes to it: nobody
// but this thread knows that without an order, so the others look for what was announced.
#include "execution/lifetimes/stack/stack_blocks.hpp"

#include <algorithm>

#include "execution/accesses/plain_accesses.hpp"
#include "execution/execution.hpp"
#include "execution/lifetimes/lifetimes.hpp"
#include "execution/lifetimes/stack/scopes.hpp"
#include "execution/lifetimes/stack/stacks.hpp"
#include "memory/regions.hpp"

namespace fencepost::checker {

void stack_saved(std::uintptr_t stack) {
  stacks[execution.current->id].blocks.push_back({stack, 0});
}

void block_begins(std::uintptr_t address, std::size_t size, std::uint64_t pc) {
  if (size == 0) return;
  scope_begins(address, size, pc);
  stacks[execution.current->id].blocks.push_back({address, size});
}

void stack_restored(std::uintptr_t stack, std::uint64_t pc) {
  Array<StackBlock>& blocks = stacks[execution.current->id].blocks;
  while (!blocks.empty()) {
    const StackBlock last = blocks.back();
    blocks.pop_back();
    if (last.size != 0) {
      scope_ends(last.address, last.size, pc);
    } else if (last.address == stack) {
      return;
    }
  }
}

void stack_unwound(std::uintptr_t stack, std::uint64_t pc, const char* ends) {
  const Thread& t = *execution.current;
  Array<StackBlock>& blocks = stacks[t.id].blocks;
  while (!blocks.empty() && blocks.back().address < stack) blocks.pop_back();
  const std::uintptr_t low = std::min({t.deepest_stack, t.deepest_write, stack});
  settle_plain_writes();
  look_for_visitors(stacks[t.id].visited.within(low, stack - low), pc, ends);
  stacks[t.id].scopes.ends(t.stack_low, stack - t.stack_low, t.cursor, pc);
}

void must_not_be_left(std::uintptr_t address, std::uintptr_t stack, std::uint64_t pc) {
  if (!execution.active || address >= stack || !on_own_stack(*execution.current, address)) return;
  execution.violation.highlights = 0;
  execution.violate(
      "memory", pc,
      "thread %u accesses a local variable of its own after its function has returned "
      "(address 0x%lx)",
      execution.current->id, static_cast<unsigned long>(address));
}

}  // namespace fencepost::checker
