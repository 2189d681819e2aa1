// SPDX-License-Identifier: MIT
// setjmp and longjmp, under all their names. The registers are kept in the program's buffer as they
// are, not scrambled as by the C library: no other function looks at them. Signals come never, so
// their mask is not kept.
//
// A jump ends the local variables of the functions that it leaves, as an exception does
// (execution/lifetimes/stack/stack_blocks.cpp). It may lead only to a call that has not returned:
// among those that run there is one whose frame ends where that one's did, and that returns to
// where that one did.
#include <setjmp.h>
#include <unwind.h>

#include "execution/execution.hpp"
#include "execution/lifetimes/stack/stack_blocks.hpp"
#include "execution/lifetimes/stack/stacks.hpp"
#include "interface/c_library/touched.hpp"
#include "interface/entry.hpp"
#include "machine/machine.hpp"

namespace checker = fencepost::checker;
using checker::execution;

namespace {

// A call: where its frame ends, and where it returns to.
struct Call {
  std::uintptr_t end;
  std::uintptr_t returns_to;
};

struct Buffer {
  unsigned char registers[checker::kJumpRegisters];
  std::uint32_t unordered_depth;  // of calls that order nothing
  Call call;                      // that called setjmp

  std::uintptr_t stack() const {
    std::uintptr_t word;
    std::memcpy(&word, registers + checker::kJumpStack, sizeof word);
    return word;
  }
};
static_assert(sizeof(Buffer) <= sizeof(jmp_buf));

struct Search {
  std::uintptr_t stack;  // as the call has called another
  bool is_next;
  Call call;
};

_Unwind_Reason_Code find_call(_Unwind_Context* frame, void* argument) {
  auto& search = *static_cast<Search*>(argument);
  if (search.is_next) {
    search.call = {_Unwind_GetCFA(frame), _Unwind_GetIP(frame)};
    return _URC_END_OF_STACK;
  }
  search.is_next = _Unwind_GetCFA(frame) == search.stack;
  return _URC_NO_REASON;
}

struct Running {
  Call call;
  bool is_found;
};

_Unwind_Reason_Code look_for_call(_Unwind_Context* frame, void* argument) {
  auto& search = *static_cast<Running*>(argument);
  if (_Unwind_GetCFA(frame) != search.call.end) return _URC_NO_REASON;
  search.is_found = _Unwind_GetIP(frame) == search.call.returns_to;
  return _URC_END_OF_STACK;
}

bool still_runs(const Call& call) {
  Running search{call, false};
  _Unwind_Backtrace(look_for_call, &search);
  return search.is_found;
}

}  // namespace

extern "C" {

// By fencepost_setjmp (machine/), which has kept the registers, behind the program's call at `pc`.
void fencepost_notes_jump(Buffer* buffer, std::uint64_t pc) {
  if (!checker::exploring()) return;
  checker::writes(buffer, sizeof *buffer, pc);
  Search search{buffer->stack(), false, {}};
  _Unwind_Backtrace(find_call, &search);
  if (search.call.end == 0) {
    execution.unsupported(pc, "setjmp() in a function without a table for unwinding");
  }
  buffer->unordered_depth = execution.current->unordered_depth;
  buffer->call = search.call;
  execution.current->effect();
  checker::wipe_stack(checker::kUnwindingUses);
}

[[noreturn]] void fencepost_longjmp(Buffer* buffer, int value) {
  const std::uint64_t pc = FENCEPOST_PC();
  const int result = value == 0 ? 1 : value;
  if (!checker::exploring()) checker::fencepost_jump(buffer, result);
  checker::reads(buffer, sizeof *buffer, pc);
  const std::uintptr_t stack = buffer->stack();
  if (!checker::on_own_stack(*execution.current, stack)) {
    execution.violate("memory", pc,
                      "longjmp() by what setjmp() has not written in thread %u (address 0x%lx)",
                      execution.current->id, checker::address_of(buffer));
  }
  if (stack < FENCEPOST_STACK() || !still_runs(buffer->call)) {
    execution.violate("memory", pc,
                      "longjmp() to a function of thread %u that has returned (address 0x%lx)",
                      execution.current->id, checker::address_of(buffer));
  }
  execution.current->unordered_depth = buffer->unordered_depth;
  checker::stack_unwound(stack, pc, "longjmp() ends a local variable's scope");
  checker::wipe_stack(checker::kUnwindingUses);
  checker::fencepost_jump(buffer, result);
}

[[noreturn, gnu::alias("fencepost_longjmp")]] void fencepost__longjmp(Buffer*, int);
[[noreturn, gnu::alias("fencepost_longjmp")]] void fencepost_siglongjmp(Buffer*, int);
[[noreturn, gnu::alias("fencepost_longjmp")]] void fencepost___longjmp_chk(Buffer*, int);

}  // extern "C"
