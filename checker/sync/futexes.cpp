// SPDX-License-Identifier: MIT
#include "sync/futexes.hpp"

#include <cstdio>

#include "execution/accesses/atomic_accesses.hpp"
#include "execution/execution.hpp"
#include "execution/objects.hpp"

namespace fencepost::checker {
namespace {

// What the kernel compares: the word, or the half of a wider object that lies there.
std::uint64_t futex_value(const Event& read, std::uintptr_t address) {
  if (read.size == 4) return read.value;
  return read.value >> (8 * (address - objects[read.location].address)) & 0xffffffffU;
}

void describe(const Thread& t, char* message, std::size_t size) {
  std::snprintf(message, size,
                "thread %u sleeps on the futex word at 0x%lx and nothing left can wake it", t.id,
                static_cast<unsigned long>(t.block_object));
}

}  // namespace

Waited futex_wait(std::uintptr_t address, std::uint32_t expected, std::uint64_t mask, Limit limit,
                  std::uint64_t pc) {
  Thread& t = *execution.current;
  const EventId read = enter_queue(ObjectKind::futex_queue, address, Operation::futex_wait, pc);
  const LocationId queue = execution.graph().at(read).location;
  std::uint64_t value;
  if (Event* e = execution.replay(Kind::read, Operation::futex_value, pc)) {
    ++t.cursor;
    value = futex_value(*e, address);
  } else {
    execution.before_new_event(pc);
    check_atomic_access(address, 4, false, pc);
    Event e2{};
    e2.what = Operation::futex_value;
    e2.order = Order::relaxed;
    e2.pc = pc;
    e2.size = 8;
    e2.location = objects.wide_location(address);
    const MixedSize mixed{};
    if (e2.location == 0) objects.place_access(&e2, address, 4, pc);
    execution.read_event(e2, &mixed);
    value = futex_value(execution.graph().at(execution.last_event()), address);
  }
  const std::uint64_t waiting = execution.graph().at(read).value;
  const std::uint64_t bit = std::uint64_t{1} << t.id;
  const bool sleeps = value == expected;
  write_queue(queue, Operation::futex_wait, read, sleeps ? waiting | bit : waiting, pc, mask);
  if (!sleeps) return Waited::changed;
  const EventId announced = execution.last_event();
  const Waited early = leaves_early(limit, pc);
  const bool timed = limit != Limit::none;
  const Operation leaves =
      early == Waited::spurious ? Operation::futex_for_nothing : Operation::futex_timeout;
  const Waited waited = sleep_in_queue(queue, Block::futex, Operation::futex_woken, leaves, address,
                                       announced, timed, early != Waited::woken, pc);
  t.block_timed = false;
  return waited == Waited::timed_out ? early : waited;
}

constinit const BlockedAt kBlockedAtFutex{"sleeps", always_stuck, describe, no_known_holders};

}  // namespace fencepost::checker
