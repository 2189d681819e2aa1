// SPDX-License-Identifier: MIT
// setjmp and longjmp, under all their names. The registers are kept in the program's buffer as they
// are, not scrambled as by the C library: no other function looks at them. Signals come never, so
// their mask is not kept.
//
// A jump ends the local variables of the functions that it leaves, as an exception does
// (execution/lifetimes/stack/stack_blocks.cpp).
#include <setjmp.h>

#include <cstring>

#include "execution/execution.hpp"
#include "execution/lifetimes/stack/stack_blocks.hpp"
#include "execution/lifetimes/stack/stacks.hpp"
#include "interface/c_library/touched.hpp"
#include "interface/entry.hpp"
#include "machine/machine.hpp"

namespace checker = fencepost::checker;
using checker::execution;

namespace {

// Behind the registers in the buffer: of calls that order nothing, how deep the thread was in them.
std::uint32_t* depth_in(void* buffer) {
  return reinterpret_cast<std::uint32_t*>(static_cast<char*>(buffer) + checker::kJumpRegisters);
}
constexpr std::size_t kBuffer = checker::kJumpRegisters + sizeof(std::uint32_t);
static_assert(kBuffer <= sizeof(jmp_buf));

std::uintptr_t stack_in(const void* buffer) {
  std::uintptr_t stack;
  std::memcpy(&stack, static_cast<const char*>(buffer) + checker::kJumpStack, sizeof stack);
  return stack;
}

}  // namespace

extern "C" {

// By fencepost_setjmp (machine/), which has kept the registers, behind the program's call at `pc`.
void fencepost_notes_jump(void* buffer, std::uint64_t pc) {
  if (!checker::exploring()) return;
  *depth_in(buffer) = execution.current->unordered_depth;
  checker::writes(buffer, kBuffer, pc);
  execution.current->effect();
  checker::wipe_stack(checker::kAccessUses);
}

[[noreturn]] void fencepost_longjmp(void* buffer, int value) {
  const std::uint64_t pc = FENCEPOST_PC();
  const int result = value == 0 ? 1 : value;
  if (!checker::exploring()) checker::fencepost_jump(buffer, result);
  checker::reads(buffer, kBuffer, pc);
  const std::uintptr_t stack = stack_in(buffer);
  if (!checker::on_own_stack(*execution.current, stack)) {
    execution.violate("memory", pc,
                      "longjmp() by what setjmp() has not written in thread %u (address 0x%lx)",
                      execution.current->id, checker::address_of(buffer));
  }
  if (stack < FENCEPOST_STACK()) {
    execution.violate("memory", pc,
                      "longjmp() to a function of thread %u that has returned (address 0x%lx)",
                      execution.current->id, checker::address_of(buffer));
  }
  execution.current->unordered_depth = *depth_in(buffer);
  checker::stack_unwound(stack, pc, "longjmp() ends a local variable's scope");
  checker::wipe_stack(checker::kAccessUses);
  checker::fencepost_jump(buffer, result);
}

[[noreturn, gnu::alias("fencepost_longjmp")]] void fencepost__longjmp(void* buffer, int value);
[[noreturn, gnu::alias("fencepost_longjmp")]] void fencepost_siglongjmp(void* buffer, int value);
[[noreturn, gnu::alias("fencepost_longjmp")]] void fencepost___longjmp_chk(void* buffer, int value);

}  // extern "C"
