// SPDX-License-Identifier: MIT
// Inline assembly. Barriers have become calls of fencepost_full_fence_by_assembly and
// fencepost_load_fence_by_assembly, what accesses memory calls of fencepost_access_by_assembly with
// the instruction behind the call, which is read and not run (lab/fencepost/binary/machines/
// aarch64_assembly.py). `dmb ish` is what compilers make of a seq_cst fence, `dmb ishld` what they
// make of an acquire fence.
#include "execution/accesses/fences.hpp"
#include "graph/state_section.hpp"
#include "interface/instrumentation/access_aarch64.hpp"

namespace fencepost::checker {

FENCEPOST_CHECKER_STATE Monitor monitors[64];

namespace {

[[gnu::noinline]] void fence(Order order, std::uint64_t pc) {
  const LeaveNoTrace clean(pc);
  if (exploring()) atomic_fence(orders_nothing(pc) ? Order::relaxed : order, pc);
}

// The registers that the frame of the call holds are there and back again.
[[gnu::noinline]] void access(Registers* registers, std::uint64_t pc) {
  const LeaveNoTrace clean(pc);
  std::uint64_t* frame = registers->stack;
  registers->general[16] = frame[0];
  registers->general[17] = frame[1];
  registers->general[29] = frame[2];
  registers->general[30] = frame[3];
  registers->stack = frame + 4;
  Access(registers, pc).run();
  registers->stack = frame;
  frame[0] = registers->general[16];
  frame[1] = registers->general[17];
  frame[2] = registers->general[29];
  frame[3] = registers->general[30];
  registers->general[30] = pc + 12;  // behind the instruction and two words
}

}  // namespace

extern "C" {
FENCEPOST_CHECKER_STATE Registers fencepost_assembly_registers;

enum Called : std::uint64_t { kLoadFence, kFullFence, kAccess };

// Others may run in the meantime and use the same variable: it is copied, and written back.
[[gnu::noinline]] void fencepost_run_assembly(std::uint64_t pc, Called called) {
  Registers registers = fencepost_assembly_registers;
  if (called == kAccess) {
    access(&registers, pc);
  } else {
    fence(called == kFullFence ? Order::seq_cst : Order::acquire, pc);
  }
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
  b 1f
.size fencepost_load_fence_by_assembly, .-fencepost_load_fence_by_assembly

.globl fencepost_access_by_assembly
.type fencepost_access_by_assembly, %function
fencepost_access_by_assembly:
  stp x16, x17, [sp, #-16]!
  mov x17, #2
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
  stp x18, x19, [x16, #144]
  stp x20, x21, [x16, #160]
  stp x22, x23, [x16, #176]
  stp x24, x25, [x16, #192]
  stp x26, x27, [x16, #208]
  str x28, [x16, #224]
  str x30, [x16, #240]
  mov x0, sp
  str x0, [x16, #768]
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
  mov x1, x17
  bl fencepost_run_assembly
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
  ldp x18, x19, [x16, #144]
  ldp x20, x21, [x16, #160]
  ldp x22, x23, [x16, #176]
  ldp x24, x25, [x16, #192]
  ldp x26, x27, [x16, #208]
  ldr x28, [x16, #224]
  ldr x30, [x16, #240]
  ldp x16, x17, [sp]
  stp xzr, xzr, [sp], #16
  ret
.size fencepost_access_by_assembly, .-fencepost_access_by_assembly
)");
