// SPDX-License-Identifier: MIT
#include "sync/joining.hpp"

#include <cstdio>

#include "execution/execution.hpp"

namespace fencepost::checker {
namespace {

void describe(const Thread& t, char* message, std::size_t size) {
  std::snprintf(message, size, "thread %u joins thread %lu, which never ends", t.id,
                static_cast<unsigned long>(t.block_object));
}

std::uint64_t joined(const Thread& t) { return std::uint64_t{1} << t.block_object; }

}  // namespace

bool beside_others() {
  for (unsigned i = 0; i < execution.thread_count; ++i) {
    const Thread& t = execution.threads[i];
    if (&t != execution.current && t.state != ThreadState::absent && !t.joined) return true;
  }
  return false;
}

void* join(unsigned id, bool asks, std::uint64_t pc) {
  Thread& other = execution.threads[id];
  for (;;) {
    if (execution.repeats(Operation::none, pc)) {
      execution.same(execution.graph().at(execution.last_event()).operand == id, pc);
      break;
    }
    execution.before_new_event(pc);
    const unsigned size = execution.graph().size(id);
    const Event* last = size == 0 ? nullptr : &execution.graph().at(id, size - 1);
    if (last != nullptr && last->kind == Kind::end && last->what != Operation::process_end) {
      execution.current->effect();
      execution.come_after(Operation::none, event_id(id, size - 1), pc);
      break;
    }
    execution.block(Block::join, pc, id, 0);
  }
  // By somebody else meanwhile; it could as well have been before.
  if (other.joined || other.detached) {
    execution.violate("memory", pc, "thread %u joins thread %u, which another thread has %s",
                      execution.current->id, id, other.joined ? "joined" : "detached");
  }
  other.joined = true;
  if (execution.options.symmetry) execution.symmetry.joined(other, asks, pc);
  return other.result;
}

constinit const BlockedAt kBlockedAtJoin{"joins another", always_stuck, describe, joined};

}  // namespace fencepost::checker
