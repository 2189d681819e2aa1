// SPDX-License-Identifier: MIT
// What the std::latch of cxx_library/headers/latch is made of. In it is nothing but what it was
// made for: one that is constant exists before the program runs, and takes as many bytes as the
// library's.
#include "sync/barriers/latches.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>

#include "execution/accesses/plain_accesses.hpp"
#include "execution/execution.hpp"
#include "interface/entry.hpp"

namespace checker = fencepost::checker;
using checker::execution;

namespace {

constexpr std::ptrdiff_t kMost = std::numeric_limits<int>::max();

// One that is made anew, destroyed or freed while somebody comes to it races with him.
checker::Latch described(const void* l, std::uint64_t pc) {
  if (!checker::exploring()) execution.unsupported(pc, "a std::latch is used before main");
  checker::look_at_word(checker::address_of(l), sizeof(int), pc);
  const int expected = *static_cast<const int*>(l);
  if (expected < 0) {
    execution.violate(
        "memory", pc, "thread %u uses a std::latch for %d (address 0x%lx): is it one at all?",
        execution.current->id, expected, static_cast<unsigned long>(checker::address_of(l)));
  }
  return {checker::address_of(l), static_cast<std::uint64_t>(expected)};
}

}  // namespace

extern "C" {

void fencepost_latch_make(void* l, std::ptrdiff_t expected) {
  const checker::LeaveNoTrace clean;
  const std::uint64_t pc = FENCEPOST_PC();
  if (expected < 0 || expected > kMost) {
    if (!checker::exploring()) execution.unsupported(pc, "a std::latch for %ld", expected);
    execution.violate("memory", pc, "thread %u makes a std::latch for %ld: it must be 0 to %ld",
                      execution.current->id, expected, kMost);
  }
  if (!checker::exploring()) return;
  checker::plain_access(checker::address_of(l), sizeof(int), true, pc);
  checker::make_latch({checker::address_of(l), static_cast<std::uint64_t>(expected)}, pc);
}

void fencepost_latch_count_down(void* l, std::ptrdiff_t by) {
  const checker::LeaveNoTrace clean;
  const std::uint64_t pc = FENCEPOST_PC();
  const checker::Latch latch = described(l, pc);
  if (by < 0) {
    execution.violate("memory", pc, "thread %u counts the latch at 0x%lx down by %ld",
                      execution.current->id, static_cast<unsigned long>(latch.address), by);
  }
  checker::count_down(latch, static_cast<std::uint64_t>(by), pc);
}

// Whoever destroys the latch must come after this has returned.
void fencepost_latch_wait(const void* l) {
  const checker::LeaveNoTrace clean;
  const std::uint64_t pc = FENCEPOST_PC();
  checker::wait_for_latch(described(l, pc), pc);
  described(l, pc);
}

bool fencepost_ask_latch(const void* l, const char*) {
  const checker::LeaveNoTrace clean;
  const std::uint64_t pc = FENCEPOST_PC();
  return checker::latch_is_open(described(l, pc), pc);
}

}  // extern "C"
