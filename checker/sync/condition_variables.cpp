// SPDX-License-Identifier: MIT
#include "sync/condition_variables.hpp"

#include <pthread.h>

#include <algorithm>
#include <cstdio>

#include "execution/accesses/plain_accesses.hpp"
#include "execution/execution.hpp"
#include "execution/objects.hpp"
#include "sync/locks/mutexes.hpp"
#include "sync/misuse.hpp"

namespace fencepost::checker {
namespace {

// While some wait with one mutex nobody may wait with another. Looks at those that `read` found in
// the queue.
void must_wait_with(std::uint32_t mutex, LocationId queue, EventId read, std::uint64_t pc) {
  Graph& g = execution.graph();
  const Location& l = g.location(queue);
  std::uint64_t left = g.at(read).value;
  for (std::uint32_t k = g.rank(g.at(read).from); left != 0 && k-- > 0;) {
    const EventId announced = l.writes[k];
    const std::uint64_t bit = std::uint64_t{1} << announced.thread();
    if (g.at(announced).what != Operation::cond_wait || (left & bit) == 0) continue;
    left &= ~bit;
    if (g.at(announced).operand == mutex) continue;
    execution.violation.highlight[0] = announced;
    execution.violation.highlights = 1;
    execution.violate(
        "memory", pc,
        "thread %u waits on a condition variable on which thread %u sleeps with another mutex "
        "(other pc 0x%lx)",
        execution.current->id, announced.thread(), static_cast<unsigned long>(g.at(announced).pc));
  }
}

void describe(const Thread& t, char* message, std::size_t size) {
  std::snprintf(message, size,
                "thread %u sleeps on the condition variable at 0x%lx and nothing left can wake it",
                t.id, static_cast<unsigned long>(t.block_object));
}

}  // namespace

Waited condition_wait(std::uintptr_t condition, std::uintptr_t mutex, bool binds, bool releases,
                      Limit limit, std::uint64_t pc) {
  Thread& t = *execution.current;
  const Waited early = leaves_early(limit, pc);
  const bool timed = limit != Limit::none;
  const EventId read = enter_queue(ObjectKind::condition, condition, Operation::cond_wait, pc);
  const LocationId queue = execution.graph().at(read).location;
  const std::uint64_t waiting = execution.graph().at(read).value;
  const auto bound_to = binds ? static_cast<std::uint32_t>(mutex / alignof(std::uint64_t)) : ~0U;
  must_wait_with(bound_to, queue, read, pc);
  write_queue(queue, Operation::cond_wait, read, waiting | std::uint64_t{1} << t.id, pc, bound_to);
  const EventId announced = execution.last_event();
  will_use_last(condition, sizeof(pthread_cond_t), pc);
  if (releases) unlock_mutex(mutex, pc);
  const Operation leaves =
      early == Waited::spurious ? Operation::cond_for_nothing : Operation::cond_timeout;
  const Waited waited = sleep_in_queue(queue, Block::condition, Operation::cond_woken, leaves,
                                       condition, announced, timed, early != Waited::woken, pc);
  t.block_timed = false;
  uses_last(pc);
  if (releases) lock_mutex(mutex, pc);
  if (waited == Waited::timed_out) return early;
  // POSIX: a wake-up that comes while a wait times out may be lost with it. That it is told of, and
  // not the time, is another execution where the time is chosen.
  if (early != Waited::timed_out) return waited;
  const bool told = limit == Limit::passed && execution.choose(Operation::takes_wakeup, 2, pc) == 0;
  return told ? waited : early;
}

unsigned known_sleeper(std::uintptr_t condition) {
  const Thread& t = *execution.current;
  Graph& g = execution.graph();
  const LocationId queue = objects.hidden(ObjectKind::condition, condition);
  Location& l = g.location(queue);
  // What it has found itself may be of threads that it has not learnt of otherwise.
  std::uint32_t found = 0;
  for (const EventId read : l.reads) {
    if (read.thread() != t.id || read.index() >= t.cursor) continue;
    found = std::max(found, g.rank(g.at(read).from));
  }
  for (std::uint32_t k = l.writes.size(); k-- > 0;) {
    if (k + 1 != found && !Graph::includes(execution.clock(), l.writes[k])) continue;
    const std::uint64_t asleep = g.at(l.writes[k]).value;
    return asleep == 0 ? kMaxThreads : static_cast<unsigned>(__builtin_ctzll(asleep));
  }
  return kMaxThreads;
}

constinit const BlockedAt kBlockedAtCondition{"sleeps", always_stuck, describe, no_known_holders};

}  // namespace fencepost::checker
