// SPDX-License-Identifier: MIT
// At the end of an execution in which somebody is blocked: is it for ever?
//
// A sleeper whose bit is still set, and a thread that joins another one that never ends, are. A
// thread that spins, or waits for a mutex, is only if what it read was the newest there is:
// otherwise it would see something newer in time, and that is another execution. Nothing is
// reported as long as one thread is merely behind the news.
#include <cstdio>

#include "program/runtime.hpp"

namespace fencepost::checker {
namespace {

// Does this read see the newest value? Later writes that come to nothing do not count: those that
// store what was there, and those of an iteration without effect (locking and unlocking), once it
// is over.
bool reads_newest(Graph& g, const Event& read) {
  Location& l = g.location(read.location);
  if (l.writes.empty()) return true;
  if (g.at(l.writes.back()).value != read.value) return false;
  for (std::uint32_t k = g.rank(read.from); k < l.writes.size(); ++k) {
    const EventId w = l.writes[k];
    const Thread& writer = runtime.thread(w.thread());
    const bool in_vain = writer.state == ThreadState::blocked && writer.block == Block::spin &&
                         w.index() >= writer.loop_start;
    if (!in_vain && (g.at(w).flags & kSilent) == 0) return false;
  }
  return true;
}

bool for_ever(Graph& g, const Thread& t) {
  if (t.block_timed && runtime.options.timeouts) return false;  // in other executions it times out
  switch (t.block) {
    case Block::mutex:
      return reads_newest(g, g.at(t.id, t.cursor - 1));
    case Block::spin:
      for (std::uint32_t i = t.loop_start; i < g.size(t.id); ++i) {
        const Event& e = g.at(t.id, i);
        if (e.kind == Kind::read && !reads_newest(g, e)) return false;
      }
      return true;
    default:
      return true;
  }
}

}  // namespace

void Runtime::judge_blocked() {
  Graph& g = graph();
  const Thread* asleep = nullptr;
  const Thread* locked_out = nullptr;
  const Thread* spinning = nullptr;
  const Thread* joining = nullptr;
  for (unsigned i = 0; i < thread_count_; ++i) {
    const Thread& t = threads_[i];
    if (t.state != ThreadState::blocked) continue;
    if (!for_ever(g, t)) return;
    const Thread*& slot = t.block == Block::futex || t.block == Block::condition ? asleep
                          : t.block == Block::mutex                              ? locked_out
                          : t.block == Block::spin                               ? spinning
                                                                                 : joining;
    if (slot == nullptr) slot = &t;
  }
  if (exited) return;
  const Thread* t = asleep != nullptr       ? asleep
                    : locked_out != nullptr ? locked_out
                    : spinning != nullptr   ? spinning
                                            : joining;
  violation.found = true;
  violation.highlights = 0;
  violation.thread = t->id;
  violation.pc = t->block_pc;
  const auto object = static_cast<unsigned long>(t->block_object);
  char* message = violation.message;
  constexpr std::size_t size = sizeof violation.message;
  const char* limit = t->block_timed ? " (its time limit is not counted on; see --timeouts)" : "";
  if (t == asleep) {
    violation.kind = "lost-wakeup";
    std::snprintf(message, size,
                  "thread %u sleeps on the %s at 0x%lx and nothing left can wake it%s", t->id,
                  t->block == Block::futex ? "futex word" : "condition variable", object, limit);
    // The sleeper's announcement and its last look.
    for (std::uint32_t i = g.size(t->id); i-- > 1 && violation.highlights < 2;) {
      const Event& e = g.at(t->id, i);
      if (e.kind == Kind::read || e.kind == Kind::write) {
        violation.highlight[violation.highlights++] = event_id(t->id, i);
      }
    }
  } else if (t == locked_out) {
    violation.kind = "deadlock";
    std::snprintf(message, size,
                  "thread %u waits for the mutex at 0x%lx, held by thread %lu, for ever%s", t->id,
                  object, static_cast<unsigned long>(g.at(t->id, t->cursor - 1).value) - 1, limit);
  } else if (t == spinning) {
    violation.kind = "non-termination";
    std::snprintf(
        message, size,
        "thread %u spins for ever: it reads the newest values and nobody will change them", t->id);
  } else {
    violation.kind = "deadlock";
    std::snprintf(message, size, "thread %u joins thread %lu, which never ends", t->id, object);
  }
}

}  // namespace fencepost::checker
