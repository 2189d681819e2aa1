// SPDX-License-Identifier: MIT
#include "loops/unseen_code.hpp"

#include <iterator>

#include "execution/runtime.hpp"
#include "graph/state_section.hpp"
#include "memory/hash.hpp"
#include "memory/regions.hpp"
#include "search/worker.hpp"

FENCEPOST_CHECKER_STATE std::uint32_t fencepost_unseen_calls = 0;
FENCEPOST_CHECKER_STATE NotedCall fencepost_noted_calls[16] = {};

namespace fencepost::checker {

FENCEPOST_CHECKER_STATE bool compares_memory = false;

namespace {

// So many, and a loop may make them.
constexpr std::uint32_t kManyCalls = 16;

}  // namespace

std::uint64_t Runtime::shared_memory() const {
  std::uint64_t h = 0;
  for (unsigned i = 0; i < snapshot.ranges(); ++i) {
    const std::uintptr_t begin = snapshot.range_begin(i);
    // Its last bytes may be no whole word, and what follows is not the program's.
    h = hash_memory(h, begin, (begin + snapshot.range_size(i) + 7) & ~std::uintptr_t{7});
  }
  for (unsigned i = 0; i < thread_count_; ++i) {
    const Thread& t = threads_[i];
    h = hash_memory(h, regions::heap(i), heap.end(i));
    if (t.state == ThreadState::absent) continue;
    h = hash_memory(h, snapshot.variables_begin(t.thread_pointer),
                    snapshot.variables_end(t.thread_pointer));
    const auto stack = reinterpret_cast<std::uintptr_t>(t.stack_pointer);
    if (&t != current && stack >= t.stack_low) h = hash_memory(h, stack, t.stack_top);
  }
  return h;
}

void Runtime::notice_unseen_writes() {
  if (shared_memory() != memory_left_) current->effect();
}

void Execution::notice_calls() {
  const std::uint32_t calls = fencepost_unseen_calls;
  fencepost_unseen_calls = 0;
  if (!has_unseen_code()) {
    ++current->calls_noticed;
    current->effect();
  }
  for (std::uint32_t i = 0; i < calls && i < std::size(fencepost_noted_calls); ++i) {
    if (fencepost_noted_calls[i].used != 0) runtime.use_stream(fencepost_noted_calls[i]);
  }
}

// A thread has so many events that it may be in a loop without end. Was that not recognised because
// of calls?
void Execution::blame_calls(std::uint64_t pc) {
  if (current->calls_noticed < kManyCalls || has_unseen_code()) return;
  if (worker::here()) {
    if (graph().size(current->id) < options.max_events) return;
    unsupported(pc,
                "a loop calls a library in each round, and was first met by one of several "
                "processes: explore with one job");
  }
  compares_memory = true;
  start_over();
}

void Runtime::leave_memory() { memory_left_ = shared_memory(); }

}  // namespace fencepost::checker
