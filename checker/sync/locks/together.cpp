// SPDX-License-Identifier: MIT
#include "sync/locks/together.hpp"

#include <algorithm>

#include "execution/execution.hpp"
#include "graph/state_section.hpp"
#include "sync/process_end.hpp"

namespace fencepost::checker {
namespace {

std::uint64_t own_bit() { return std::uint64_t{1} << execution.current->id; }

}  // namespace

FENCEPOST_CHECKER_STATE constinit TakenTogether taken_together;

bool TakenTogether::has_been_taken(std::uintptr_t mutex) const {
  return std::find(taken_.begin(), taken_.end(), mutex) != taken_.end();
}

void TakenTogether::new_execution() {
  in_between_ = 0;
  taken_.clear();
}

unsigned TakenTogether::begin(const std::uintptr_t* mutexes, unsigned count, std::uint64_t pc) {
  if (uses_code_) return 0;
  if (knows_that_it_is_alone()) return count + 1;
  for (unsigned i = 0; i < count; ++i) {
    if (!has_been_taken(mutexes[i])) taken_.push_back(mutexes[i]);
  }
  execution.counters.taken_together = 1;
  const std::uint32_t first = execution.choose(Operation::waits_first, count, pc);
  return first == 0 ? count + 1 : first + 1;
}

void TakenTogether::has_first() { in_between_ |= own_bit(); }
void TakenTogether::has_all() { in_between_ &= ~own_bit(); }

void TakenTogether::has_one(std::uint64_t pc) {
  in_between_ |= own_bit();
  for (;;) execution.block(Block::together, pc, 0, 0);
}

void TakenTogether::is_tried(std::uintptr_t mutex, std::uint64_t pc) {
  if (uses_code_ || !has_been_taken(mutex)) return;
  if (execution.is_worker) {
    execution.unsupported(pc,
                          "that a mutex which std::lock takes is tried was first met by one of "
                          "several processes: explore with one job");
  }
  uses_code_ = true;
  execution.start_over();
}

}  // namespace fencepost::checker
