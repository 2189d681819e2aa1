// SPDX-License-Identifier: MIT
// POSIX barriers, and what std::barrier of cxx_library/headers/barrier is made of.
#include "sync/barriers/barriers.hpp"

#include <errno.h>
#include <pthread.h>

#include <climits>
#include <cstdint>
#include <cstring>

#include "execution/accesses/plain_accesses.hpp"
#include "execution/execution.hpp"
#include "interface/c_library/touched.hpp"
#include "interface/locks/lock_marks.hpp"
#include "interface/threads/threads.hpp"
#include "sync/barriers/phases.hpp"
#include "sync/misuse.hpp"

namespace checker = fencepost::checker;
using checker::execution;

namespace {

// What is in a pthread_barrier_t here, or in a std::barrier.
struct Barrier {
  std::uint32_t mark;
  std::uint32_t count;
  std::uint64_t incarnation;
};
static_assert(sizeof(Barrier) <= sizeof(pthread_barrier_t));

Barrier& inside(void* b) { return *static_cast<Barrier*>(b); }

checker::LockMark mark_of(void* b) { return {"barrier", b, &inside(b).mark}; }

checker::Barrier described(void* b, std::uint64_t pc) {
  if (!checker::exploring()) execution.unsupported(pc, "a barrier is used before main");
  // One that is initialised, destroyed or freed while somebody comes to it races with him.
  checker::plain_access(checker::address_of(b), sizeof(Barrier), false, pc);
  must_be_made_here(mark_of(b), pc);
  const Barrier& barrier = inside(b);
  return {checker::address_of(b), barrier.incarnation, barrier.count};
}

// Both destroying a barrier and making a new one of it.
void must_be_idle(const checker::Barrier& b, const char* what, std::uint64_t pc) {
  const checker::EventId somebody = checker::waits_at_barrier(b);
  if (somebody == checker::kInitial) return;
  execution.violate("memory", pc, "thread %u %s the barrier at 0x%lx, at which thread %u waits",
                    execution.current->id, what, static_cast<unsigned long>(b.address),
                    somebody.thread());
}

// The next barrier at this address is another one.
std::uint64_t new_incarnation() { return execution.last_event().raw + std::uint64_t{1}; }

// ---- std::barrier: `how` as cxx_library/headers/barrier says.
constexpr unsigned kDrops = 1;
constexpr unsigned kWaits = 2;
constexpr unsigned kCompletes = 4;
constexpr std::ptrdiff_t kMost = (std::ptrdiff_t{1} << 27) - 1;

checker::Barrier standard(void* b, unsigned how, std::uint64_t pc) {
  checker::Barrier barrier = described(b, pc);
  barrier.kind = checker::BarrierKind::standard;
  barrier.completes = (how & kCompletes) != 0;
  return barrier;
}

}  // namespace

extern "C" {

int pthread_barrier_init(pthread_barrier_t* b, const pthread_barrierattr_t* attributes,
                         unsigned count) noexcept {
  const std::uint64_t pc = FENCEPOST_PC();
  if (count == 0 || count > INT_MAX) return EINVAL;
  Barrier fresh{0, count, 0};
  if (checker::exploring()) {
    int shared = PTHREAD_PROCESS_PRIVATE;
    if (attributes != nullptr) {
      checker::reads(attributes, sizeof *attributes, pc);
      pthread_barrierattr_getpshared(attributes, &shared);
    }
    checker::note_sharing(shared);
    const Barrier& old = inside(b);
    if (is_marked(mark_of(b))) {
      must_be_idle({checker::address_of(b), old.incarnation, old.count}, "initialises", pc);
    }
    must_not_be_made_twice(mark_of(b), pc);
    checker::plain_access(checker::address_of(b), sizeof *b, true, pc);
    fresh.incarnation = new_incarnation();
  }
  std::memset(b, 0, sizeof *b);
  inside(b) = fresh;
  mark_as_made(mark_of(b));
  return 0;
}

int pthread_barrier_destroy(pthread_barrier_t* b) noexcept {
  const std::uint64_t pc = FENCEPOST_PC();
  must_be_idle(described(b, pc), "destroys", pc);
  checker::waits_for_last_uses(checker::address_of(b), sizeof *b);
  checker::plain_access(checker::address_of(b), sizeof *b, true, pc);
  mark_as_destroyed(mark_of(b));
  return 0;
}

int pthread_barrier_wait(pthread_barrier_t* b) noexcept {
  const checker::LeaveNoTrace clean;
  const std::uint64_t pc = FENCEPOST_PC();
  const checker::Barrier barrier = described(b, pc);
  checker::will_use_last(barrier.address, sizeof *b, pc);
  const std::uint64_t round = checker::arrive_at_barrier(barrier, {.asks = true}, pc);
  checker::wait_for_round(barrier, round, checker::Until::all_have_arrived, pc);
  const bool is_serial = checker::serial_at_barrier(barrier, round, pc);
  checker::uses_last(pc);
  return is_serial ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}

// The same where the program does not look at the result (checker/compiler/calls.hpp,
// lab/fencepost/toolchain/early_instrumentation.py).
int fencepost_barrier_wait_unasked(pthread_barrier_t* b) noexcept {
  const checker::LeaveNoTrace clean;
  const std::uint64_t pc = FENCEPOST_PC();
  const checker::Barrier barrier = described(b, pc);
  checker::will_use_last(barrier.address, sizeof *b, pc);
  const std::uint64_t round = checker::arrive_at_barrier(barrier, {}, pc);
  checker::wait_for_round(barrier, round, checker::Until::all_have_arrived, pc);
  checker::uses_last(pc);
  return 0;
}

// ---- cxx_library/headers/barrier

void fencepost_barrier_begin(void* b, std::ptrdiff_t expected) {
  const std::uint64_t pc = FENCEPOST_PC();
  if (expected < 0 || expected > kMost) {
    if (!checker::exploring()) execution.unsupported(pc, "a std::barrier for %ld", expected);
    execution.violate("memory", pc, "thread %u makes a std::barrier for %ld: it must be 0 to %ld",
                      execution.current->id, expected, kMost);
  }
  Barrier fresh{0, static_cast<std::uint32_t>(expected), 0};
  if (checker::exploring()) {
    checker::plain_access(checker::address_of(b), sizeof(Barrier), true, pc);
    fresh.incarnation = new_incarnation();
  }
  inside(b) = fresh;
  mark_as_made(mark_of(b));
}

void fencepost_barrier_end(void* b) {
  if (!checker::exploring()) return;
  const std::uint64_t pc = FENCEPOST_PC();
  const checker::Barrier barrier = standard(b, 0, pc);
  must_be_idle(barrier, "destroys", pc);
  checker::plain_access(checker::address_of(b), sizeof(Barrier), true, pc);
  mark_as_destroyed(mark_of(b));
}

std::uint64_t fencepost_barrier_arrive(void* b, std::ptrdiff_t n, unsigned how) {
  const checker::LeaveNoTrace clean;
  const std::uint64_t pc = FENCEPOST_PC();
  const checker::Barrier barrier = standard(b, how, pc);
  if (n <= 0 || n > kMost) {
    execution.violate("memory", pc, "thread %u arrives %ld times at the barrier at 0x%lx",
                      execution.current->id, n, static_cast<unsigned long>(checker::address_of(b)));
  }
  return checker::arrive_in_phase(barrier,
                                  {.count = static_cast<std::uint64_t>(n),
                                   .drops = (how & kDrops) != 0,
                                   .waits = (how & kWaits) != 0},
                                  pc);
}

bool fencepost_barrier_completes(void* b, std::uint64_t phase) {
  const checker::LeaveNoTrace clean;
  const std::uint64_t pc = FENCEPOST_PC();
  return checker::completes_phase(standard(b, kCompletes, pc), phase, pc);
}

void fencepost_barrier_completed(void* b, std::uint64_t phase) {
  const checker::LeaveNoTrace clean;
  const std::uint64_t pc = FENCEPOST_PC();
  checker::phase_is_complete(standard(b, kCompletes, pc), phase, pc);
}

// Whoever destroys the barrier must come after this has returned.
void fencepost_barrier_wait(void* b, std::uint64_t phase, unsigned how) {
  const checker::LeaveNoTrace clean;
  const std::uint64_t pc = FENCEPOST_PC();
  checker::wait_for_phase(standard(b, how, pc), phase, pc);
  described(b, pc);
}

}  // extern "C"
