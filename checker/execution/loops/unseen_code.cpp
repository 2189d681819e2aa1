// SPDX-License-Identifier: MIT
#include "execution/loops/unseen_code.hpp"

#include <iterator>

#include "execution/execution.hpp"
#include "execution/loops/streams.hpp"
#include "graph/state_section.hpp"
#include "memory/hash.hpp"

FENCEPOST_CHECKER_STATE std::uint32_t fencepost_unseen_calls = 0;
FENCEPOST_CHECKER_STATE NotedCall fencepost_noted_calls[16] = {};

namespace fencepost::checker {

FENCEPOST_CHECKER_STATE bool compares_memory = false;

namespace {

FENCEPOST_CHECKER_STATE std::uint64_t memory_left =
    0;  // a hash of memory as the program was left with it

// So many, and a loop may make them.
constexpr std::uint32_t kManyCalls = 16;

std::uint64_t shared_memory() {
  std::uint64_t h = 0;
  for (unsigned i = 0; i < execution.snapshot.ranges(); ++i) {
    const std::uintptr_t begin = execution.snapshot.range_begin(i);
    // Its last bytes may be no whole word, and what follows is not the program's.
    h = hash_memory(h, begin, (begin + execution.snapshot.range_size(i) + 7) & ~std::uintptr_t{7});
  }
  for (unsigned i = 0; i < execution.thread_count; ++i) {
    const Thread& t = execution.threads[i];
    h = hash_memory(h, Heap::begin(i), execution.heap.end(i));
    if (t.state == ThreadState::absent) continue;
    h = hash_memory(h, execution.snapshot.variables_begin(t.thread_pointer),
                    execution.snapshot.variables_end(t.thread_pointer));
    const auto stack = reinterpret_cast<std::uintptr_t>(t.stack_pointer);
    if (&t != execution.current && stack >= t.stack_low) h = hash_memory(h, stack, t.stack_top);
  }
  return h;
}

}  // namespace

void notice_unseen_writes() {
  if (shared_memory() != memory_left) execution.current->effect();
}

void notice_calls() {
  const std::uint32_t calls = fencepost_unseen_calls;
  fencepost_unseen_calls = 0;
  if (!has_unseen_code()) {
    ++execution.current->calls_noticed;
    execution.current->effect();
  }
  for (std::uint32_t i = 0; i < calls && i < std::size(fencepost_noted_calls); ++i) {
    if (fencepost_noted_calls[i].used != 0) use_stream(fencepost_noted_calls[i]);
  }
}

// A thread has so many events that it may be in a loop without end. Was that not recognised because
// of calls?
void blame_calls(std::uint64_t pc) {
  if (execution.current->calls_noticed < kManyCalls || has_unseen_code()) return;
  if (execution.is_worker) {
    if (execution.graph().size(execution.current->id) < execution.options.max_events) return;
    execution.unsupported(
        pc,
        "a loop calls a library in each round, and was first met by one of several "
        "processes: explore with one job");
  }
  compares_memory = true;
  execution.start_over();
}

void leave_memory() { memory_left = shared_memory(); }

}  // namespace fencepost::checker
