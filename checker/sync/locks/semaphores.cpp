// SPDX-License-Identifier: MIT
#include "sync/locks/semaphores.hpp"

#include <cstdio>

#include "execution/execution.hpp"
#include "execution/objects.hpp"
#include "sync/locks/words.hpp"
#include "sync/stuck.hpp"

namespace fencepost::checker {
namespace {

void describe(const Thread& t, char* message, std::size_t size) {
  std::snprintf(message, size,
                "thread %u waits for the semaphore at 0x%lx, which is 0, and nobody is left to "
                "post it",
                t.id, static_cast<unsigned long>(t.block_object));
}

}  // namespace

bool take_from_semaphore(std::uintptr_t address, std::uint64_t initial, bool waits,
                         std::uint64_t pc, bool may_repeat) {
  WordChange c{.kind = ObjectKind::semaphore,
               .what = waits ? Operation::semaphore_wait : Operation::semaphore_trywait,
               .address = address,
               .initial = initial,
               .condition = kCompare | kIfAny,
               .operand = ~std::uint64_t{0},
               .add = ~std::uint64_t{0},
               .why = Block::semaphore,
               .may_repeat = may_repeat};
  if (waits) c.condition |= kAwait;
  return change_word(c, pc);
}

std::uint64_t post_semaphore(std::uintptr_t address, std::uint64_t initial, std::uint64_t pc) {
  std::uint64_t old;
  change_word({.kind = ObjectKind::semaphore,
               .what = Operation::semaphore_post,
               .address = address,
               .initial = initial,
               .add = 1,
               .acquires = false,
               .releases = true},
              pc, &old);
  return old;
}

std::uint64_t semaphore_value(std::uintptr_t address, std::uint64_t initial, std::uint64_t pc) {
  return read_word({.kind = ObjectKind::semaphore,
                    .what = Operation::semaphore_value,
                    .address = address,
                    .initial = initial,
                    .acquires = false,
                    .may_repeat = true},
                   0, pc)
      .value;
}

unsigned waits_for_semaphore(std::uintptr_t address) {
  for (unsigned i = 0; i < execution.thread_count; ++i) {
    const Thread& t = execution.threads[i];
    if (t.state == ThreadState::blocked && t.block_object == address) return i;
  }
  return kMaxThreads;
}

constinit const BlockedAt kBlockedAtSemaphore{"waits for a semaphore", last_read_is_newest,
                                              describe, no_known_holders};

}  // namespace fencepost::checker
