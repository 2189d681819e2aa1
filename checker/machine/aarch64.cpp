// SPDX-License-Identifier: MIT
#include <sys/auxv.h>
#include <ucontext.h>

#include "graph/state_section.hpp"
#include "machine/kernel.hpp"
#include "machine/machine.hpp"

namespace fencepost::checker {

extern "C" {
FENCEPOST_CHECKER_STATE SavedRegisters fencepost_saved_registers;
}

asm(R"(
.text
.balign 4
.globl fencepost_switch_stack
.hidden fencepost_switch_stack
.type fencepost_switch_stack, %function
fencepost_switch_stack:
  sub sp, sp, #176
  stp x19, x20, [sp]
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mrs x10, fpcr
  mrs x11, fpsr
  stp x10, x11, [sp, #160]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  ldp x12, x13, [sp, #160]
  cmp x10, x12
  b.eq 1f
  msr fpcr, x12
1:
  cmp x11, x13
  b.eq 2f
  msr fpsr, x13
2:
  ldp x19, x20, [sp]
  ldp x21, x22, [sp, #16]
  ldp x23, x24, [sp, #32]
  ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]
  ldp x29, x30, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  add sp, sp, #176
  ret
.size fencepost_switch_stack, .-fencepost_switch_stack

.globl fencepost_setjmp
.globl fencepost__setjmp
.globl fencepost___sigsetjmp
.type fencepost_setjmp, %function
.set fencepost__setjmp, fencepost_setjmp
.set fencepost___sigsetjmp, fencepost_setjmp
fencepost_setjmp:
  .cfi_startproc
  mov x9, sp
  stp x19, x20, [x0]
  stp x21, x22, [x0, #16]
  stp x23, x24, [x0, #32]
  stp x25, x26, [x0, #48]
  stp x27, x28, [x0, #64]
  stp x29, x30, [x0, #80]
  str x9, [x0, #96]
  stp d8, d9, [x0, #104]
  stp d10, d11, [x0, #120]
  stp d12, d13, [x0, #136]
  stp d14, d15, [x0, #152]
  mov x1, x30
  stp x29, x30, [sp, #-16]!
  .cfi_adjust_cfa_offset 16
  .cfi_rel_offset x29, 0
  .cfi_rel_offset x30, 8
  bl fencepost_notes_jump
  ldp x29, x30, [sp], #16
  .cfi_adjust_cfa_offset -16
  .cfi_restore x29
  .cfi_restore x30
  stp xzr, xzr, [sp, #-16]
  mov w0, #0
  ret
  .cfi_endproc
.size fencepost_setjmp, .-fencepost_setjmp

.globl fencepost_jump
.hidden fencepost_jump
.type fencepost_jump, %function
fencepost_jump:
  ldp x19, x20, [x0]
  ldp x21, x22, [x0, #16]
  ldp x23, x24, [x0, #32]
  ldp x25, x26, [x0, #48]
  ldp x27, x28, [x0, #64]
  ldp x29, x30, [x0, #80]
  ldr x9, [x0, #96]
  ldp d8, d9, [x0, #104]
  ldp d10, d11, [x0, #120]
  ldp d12, d13, [x0, #136]
  ldp d14, d15, [x0, #152]
  mov sp, x9
  mov w0, w1
  ret
.size fencepost_jump, .-fencepost_jump

.globl fencepost_wipe_stack
.hidden fencepost_wipe_stack
.type fencepost_wipe_stack, %function
fencepost_wipe_stack:
  mov x11, sp
  sub x9, x11, x0
1:
  stp xzr, xzr, [x9]
  stp xzr, xzr, [x9, #16]
  add x9, x9, #32
  cmp x9, x11
  b.lo 1b
  ret
.size fencepost_wipe_stack, .-fencepost_wipe_stack

.globl fencepost_replayed
.hidden fencepost_replayed
.type fencepost_replayed, %function
fencepost_replayed:
  stp xzr, xzr, [sp, #-16]
  stp xzr, xzr, [sp, #-32]
  stp xzr, xzr, [sp, #-48]
  stp xzr, xzr, [sp, #-64]
  stp xzr, xzr, [sp, #-80]
  stp xzr, xzr, [sp, #-96]
  stp xzr, xzr, [sp, #-112]
  stp xzr, xzr, [sp, #-128]
  stp xzr, xzr, [sp, #-144]
  stp xzr, xzr, [sp, #-160]
  stp xzr, xzr, [sp, #-176]
  stp xzr, xzr, [sp, #-192]
  ret
.size fencepost_replayed, .-fencepost_replayed

.globl fencepost_first_frame
.hidden fencepost_first_frame
.type fencepost_first_frame, %function
fencepost_first_frame:
  .cfi_startproc
  .cfi_undefined x30
  bl fencepost_thread_begins
  blr x1
  bl fencepost_thread_ends
  brk #0
  .cfi_endproc
.size fencepost_first_frame, .-fencepost_first_frame
)");

extern "C" void fencepost_first_frame();

void* prepare_stack(void* top, std::uint64_t floating_point) {
  constexpr int kSaved = 22;
  constexpr int kFloatingPoint = 20;
  constexpr int kReturnAddress = 11;  // x30
  auto* sp = static_cast<std::uint64_t*>(top) - kSaved;
  for (int i = 0; i < kSaved; ++i) sp[i] = 0;
  sp[kReturnAddress] = reinterpret_cast<std::uint64_t>(&fencepost_first_frame);
  sp[kFloatingPoint] = floating_point >> 32;
  sp[kFloatingPoint + 1] = floating_point & 0xffffffff;
  return sp;
}

std::uint64_t floating_point_state() {
  std::uint64_t control;
  std::uint64_t status;
  asm volatile("mrs %0, fpcr" : "=r"(control));
  asm volatile("mrs %0, fpsr" : "=r"(status));
  return control << 32 | status;
}

bool thread_pointer_is_writable() { return true; }

std::uintptr_t thread_pointer() {
  std::uintptr_t value;
  asm volatile("mrs %0, tpidr_el0" : "=r"(value));
  return value;
}

void set_thread_pointer(std::uintptr_t value) {
  asm volatile("msr tpidr_el0, %0" : : "r"(value) : "memory");
}

void processor_features(std::uint64_t (&features)[4]) {
  features[0] = getauxval(AT_HWCAP);
  features[1] = getauxval(AT_HWCAP2);
  features[2] = features[3] = 0;
}

std::uint64_t interrupted_pc(const void* context) {
  return static_cast<const ucontext_t*>(context)->uc_mcontext.pc;
}

std::uint64_t interrupted_stack(const void* context) {
  return static_cast<const ucontext_t*>(context)->uc_mcontext.sp;
}

long kernel::call(long number, long a, long b, long c, long d, long e, long f) {
  register long x8 asm("x8") = number;
  register long x0 asm("x0") = a;
  register long x1 asm("x1") = b;
  register long x2 asm("x2") = c;
  register long x3 asm("x3") = d;
  register long x4 asm("x4") = e;
  register long x5 asm("x5") = f;
  asm volatile("svc #0"
               : "+r"(x0)
               : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
               : "memory");
  return x0;
}

}  // namespace fencepost::checker
