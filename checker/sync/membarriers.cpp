// SPDX-License-Identifier: MIT
#include "sync/membarriers.hpp"

#include "execution/execution.hpp"
#include "execution/objects.hpp"
#include "graph/state_section.hpp"

namespace fencepost::checker {
namespace {

FENCEPOST_CHECKER_STATE std::uint32_t registered_before_main = 0;  // commands

}  // namespace

// A hidden word for each command that asks for registration. How the kernel orders registering and
// looking is not relied upon: only that a thread knows of what happened before.
void register_membarrier(unsigned command, bool before_main, std::uint64_t pc) {
  if (before_main) {
    registered_before_main |= command;
    return;
  }
  Event e{};
  e.what = Operation::membarrier_register;
  e.pc = pc;
  e.size = 4;
  e.location = objects.hidden(ObjectKind::membarrier, command);
  e.flags = kRmw;
  e.order = Order::relaxed;
  std::uint64_t registered;
  if (Event* read = execution.replay(Kind::read, e.what, pc)) {
    ++execution.current->cursor;
    registered = read->value;
  } else {
    execution.before_new_event(pc);
    Location& l = execution.graph().location(e.location);
    if (l.untouched()) l.initial = (registered_before_main & command) != 0 ? 1 : 0;
    registered = execution.read_event(e);
  }
  if (Event* write = execution.replay(Kind::write, e.what, pc)) {
    execution.current->repeat(*write);
    ++execution.current->cursor;
    return;
  }
  execution.before_new_event(pc);
  e.value = 1;
  e.rmw_read = static_cast<std::uint16_t>(execution.current->cursor - 1);
  if (registered == 1) e.flags |= kSilent;
  execution.write_event(e);
}

bool membarrier_registered(unsigned command, std::uint64_t pc) {
  if (Event* read = execution.replay(Kind::read, Operation::membarrier_registered, pc)) {
    ++execution.current->cursor;
    return read->value != 0;
  }
  execution.before_new_event(pc);
  Event e{};
  e.what = Operation::membarrier_registered;
  e.pc = pc;
  e.size = 4;
  e.location = objects.hidden(ObjectKind::membarrier, command);
  e.order = Order::relaxed;
  Location& l = execution.graph().location(e.location);
  if (l.untouched()) l.initial = (registered_before_main & command) != 0 ? 1 : 0;
  return execution.read_event(e) != 0;
}

}  // namespace fencepost::checker
