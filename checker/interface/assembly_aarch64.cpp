// SPDX-License-Identifier: MIT
// Barriers in inline assembly, which have become calls of fencepost_full_fence_by_assembly and
// fencepost_load_fence_by_assembly (lab/fencepost/machines/aarch64_assembly.py). `dmb ish` is what
// compilers make of a seq_cst fence, `dmb ishld` what they make of an acquire fence.
#include "graph/state_section.hpp"
#include "interface/entry.hpp"

namespace fencepost::checker {
namespace {

// The registers where the call was made, which are all put back.
struct Registers {
  std::uint64_t general[31];  // x0 .. x30
  std::uint64_t flags;
  alignas(16) std::uint64_t vector[32][2];
};

[[gnu::noinline]] void fence(Order order, std::uint64_t pc) {
  const LeaveNoTrace clean(pc);
  if (exploring()) runtime.fence(orders_nothing(pc) ? Order::relaxed : order, pc);
}

}  // namespace

extern "C" {
FENCEPOST_CHECKER_STATE Registers fencepost_assembly_registers;

// Others may run in the meantime and use the same variable: it is copied, and written back.
[[gnu::noinline]] void fencepost_fence_by_assembly(std::uint64_t pc, bool full) {
  const Registers registers = fencepost_assembly_registers;
  fence(full ? Order::seq_cst : Order::acquire, pc);
  fencepost_assembly_registers = registers;
}
}

}  // namespace fencepost::checker

// x16 and x17 are in use, too: they are kept on the stack, and cleared away there, while x16 is the
// address.
asm(R"(
.text
.balign 4
.globl fencepost_full_fence_by_assembly
.type fencepost_full_fence_by_assembly, %function
fencepost_full_fence_by_assembly:
  stp x16, x17, [sp, #-16]!
  mov x17, #1
  b 1f
.size fencepost_full_fence_by_assembly, .-fencepost_full_fence_by_assembly

.globl fencepost_load_fence_by_assembly
.type fencepost_load_fence_by_assembly, %function
fencepost_load_fence_by_assembly:
  stp x16, x17, [sp, #-16]!
  mov x17, #0
1:
  adrp x16, fencepost_assembly_registers
  add x16, x16, :lo12:fencepost_assembly_registers
  stp x0, x1, [x16]
  stp x2, x3, [x16, #16]
  stp x4, x5, [x16, #32]
  stp x6, x7, [x16, #48]
  stp x8, x9, [x16, #64]
  stp x10, x11, [x16, #80]
  stp x12, x13, [x16, #96]
  stp x14, x15, [x16, #112]
  str x18, [x16, #144]
  str x30, [x16, #240]
  mrs x0, nzcv
  str x0, [x16, #248]
  add x0, x16, #256
  stp q0, q1, [x0]
  stp q2, q3, [x0, #32]
  stp q4, q5, [x0, #64]
  stp q6, q7, [x0, #96]
  stp q8, q9, [x0, #128]
  stp q10, q11, [x0, #160]
  stp q12, q13, [x0, #192]
  stp q14, q15, [x0, #224]
  stp q16, q17, [x0, #256]
  stp q18, q19, [x0, #288]
  stp q20, q21, [x0, #320]
  stp q22, q23, [x0, #352]
  stp q24, q25, [x0, #384]
  stp q26, q27, [x0, #416]
  stp q28, q29, [x0, #448]
  stp q30, q31, [x0, #480]
  mov x0, x30
  mov w1, w17
  bl fencepost_fence_by_assembly
  mov x0, #2048
  bl fencepost_wipe_stack
  adrp x16, fencepost_assembly_registers
  add x16, x16, :lo12:fencepost_assembly_registers
  add x0, x16, #256
  ldp q0, q1, [x0]
  ldp q2, q3, [x0, #32]
  ldp q4, q5, [x0, #64]
  ldp q6, q7, [x0, #96]
  ldp q8, q9, [x0, #128]
  ldp q10, q11, [x0, #160]
  ldp q12, q13, [x0, #192]
  ldp q14, q15, [x0, #224]
  ldp q16, q17, [x0, #256]
  ldp q18, q19, [x0, #288]
  ldp q20, q21, [x0, #320]
  ldp q22, q23, [x0, #352]
  ldp q24, q25, [x0, #384]
  ldp q26, q27, [x0, #416]
  ldp q28, q29, [x0, #448]
  ldp q30, q31, [x0, #480]
  ldr x0, [x16, #248]
  msr nzcv, x0
  ldp x0, x1, [x16]
  ldp x2, x3, [x16, #16]
  ldp x4, x5, [x16, #32]
  ldp x6, x7, [x16, #48]
  ldp x8, x9, [x16, #64]
  ldp x10, x11, [x16, #80]
  ldp x12, x13, [x16, #96]
  ldp x14, x15, [x16, #112]
  ldr x18, [x16, #144]
  ldr x30, [x16, #240]
  ldp x16, x17, [sp]
  stp xzr, xzr, [sp], #16
  ret
.size fencepost_load_fence_by_assembly, .-fencepost_load_fence_by_assembly
)");
