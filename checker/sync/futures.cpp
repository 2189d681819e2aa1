// SPDX-License-Identifier: MIT
// Waiting for a future, as the standard describes it ([futures.state]): one acquiring read of its
// state, which is an atomic of the library's in the program's memory, that comes to pass once the
// state is ready. How the library sleeps and is woken until then (a bit in the same word, a futex)
// multiplies the executions and changes no outcome: who makes the state ready looks at that bit by
// the same exchange.
//
// Waits with a time limit are the library's own, and are told by its bit as ever.
#include "sync/futures.hpp"

#include <cstdio>

#include "execution/accesses/atomic_accesses.hpp"
#include "execution/execution.hpp"
#include "execution/objects.hpp"
#include "sync/stuck.hpp"

namespace fencepost::checker {
namespace {

constexpr unsigned kSize = 4;

void describe(const Thread& t, char* message, std::size_t size) {
  std::snprintf(message, size,
                "thread %u waits for the future at 0x%lx, which nobody is left to make ready", t.id,
                static_cast<unsigned long>(t.block_object));
}

}  // namespace

void wait_for_future(std::uintptr_t address, std::uint32_t ready, std::uint64_t pc) {
  execution.counters.library_trusted = 1;
  if (const Event* read = execution.replay(Kind::read, Operation::future_wait, pc)) {
    objects.same_object(*read, address, kSize, pc);
    execution.same(read->operand == ready, pc);
    ++execution.current->cursor;
  } else {
    execution.before_new_event(pc);
    check_atomic_access(address, kSize, false, pc);
    Event e{};
    e.what = Operation::future_wait;
    e.pc = pc;
    e.flags = kCompare | kIfAny | kAwait;
    e.operand = ready;
    e.order = e.order_done = Order::acquire;
    e.order_failed = Order::relaxed;
    objects.place_access(&e, address, kSize, pc);
    const MixedSize mixed{};
    execution.read_event(e, &mixed);
  }
  const Event& e = execution.graph().at(execution.last_event());
  if (is_blocked(e)) execution.block(Block::future, pc, address, e.location);
}

constinit const BlockedAt kBlockedAtFuture{"waits for a future", last_read_is_newest, describe,
                                           no_known_holders};

}  // namespace fencepost::checker
