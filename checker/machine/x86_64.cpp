// SPDX-License-Identifier: MIT
#include <cpuid.h>
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
.globl fencepost_switch_stack
.hidden fencepost_switch_stack
.type fencepost_switch_stack, @function
fencepost_switch_stack:
  push %rbp
  push %rbx
  push %r12
  push %r13
  push %r14
  push %r15
  sub $8, %rsp
  stmxcsr (%rsp)
  fnstcw 4(%rsp)
  mov (%rsp), %eax
  movzwl 4(%rsp), %ecx
  mov %rsp, (%rdi)
  mov %rsi, %rsp
  cmp (%rsp), %eax
  je 1f
  ldmxcsr (%rsp)
1:
  cmp 4(%rsp), %cx
  je 2f
  fldcw 4(%rsp)
2:
  add $8, %rsp
  pop %r15
  pop %r14
  pop %r13
  pop %r12
  pop %rbx
  pop %rbp
  ret
.size fencepost_switch_stack, .-fencepost_switch_stack

.globl fencepost_setjmp
.globl fencepost__setjmp
.globl fencepost___sigsetjmp
.type fencepost_setjmp, @function
.set fencepost__setjmp, fencepost_setjmp
.set fencepost___sigsetjmp, fencepost_setjmp
fencepost_setjmp:
  .cfi_startproc
  mov %rbx, (%rdi)
  mov %rbp, 8(%rdi)
  mov %r12, 16(%rdi)
  mov %r13, 24(%rdi)
  mov %r14, 32(%rdi)
  mov %r15, 40(%rdi)
  lea 8(%rsp), %rax
  mov %rax, 48(%rdi)
  mov (%rsp), %rsi
  mov %rsi, 56(%rdi)
  sub $8, %rsp
  .cfi_adjust_cfa_offset 8
  call fencepost_notes_jump
  add $8, %rsp
  .cfi_adjust_cfa_offset -8
  xor %eax, %eax
  mov %rax, -8(%rsp)
  mov %rax, -16(%rsp)
  ret
  .cfi_endproc
.size fencepost_setjmp, .-fencepost_setjmp

.globl fencepost_jump
.hidden fencepost_jump
.type fencepost_jump, @function
fencepost_jump:
  mov %esi, %eax
  mov (%rdi), %rbx
  mov 8(%rdi), %rbp
  mov 16(%rdi), %r12
  mov 24(%rdi), %r13
  mov 32(%rdi), %r14
  mov 40(%rdi), %r15
  mov 48(%rdi), %rsp
  jmp *56(%rdi)
.size fencepost_jump, .-fencepost_jump

.globl fencepost_wipe_stack
.hidden fencepost_wipe_stack
.type fencepost_wipe_stack, @function
fencepost_wipe_stack:
  pxor %xmm0, %xmm0
  mov %rsp, %rax
  sub %rdi, %rax
1:
  movups %xmm0, (%rax)
  movups %xmm0, 16(%rax)
  movups %xmm0, 32(%rax)
  movups %xmm0, 48(%rax)
  add $64, %rax
  cmp %rsp, %rax
  jb 1b
  ret
.size fencepost_wipe_stack, .-fencepost_wipe_stack

.globl fencepost_replayed
.hidden fencepost_replayed
.type fencepost_replayed, @function
fencepost_replayed:
  pxor %xmm0, %xmm0
  movups %xmm0, -16(%rsp)
  movups %xmm0, -32(%rsp)
  movups %xmm0, -48(%rsp)
  movups %xmm0, -64(%rsp)
  movups %xmm0, -80(%rsp)
  movups %xmm0, -96(%rsp)
  movups %xmm0, -112(%rsp)
  movups %xmm0, -128(%rsp)
  movups %xmm0, -144(%rsp)
  movups %xmm0, -160(%rsp)
  movups %xmm0, -176(%rsp)
  movups %xmm0, -192(%rsp)
  mov %rdi, %rax
  ret
.size fencepost_replayed, .-fencepost_replayed

.globl fencepost_first_frame
.hidden fencepost_first_frame
.type fencepost_first_frame, @function
fencepost_first_frame:
  .cfi_startproc
  .cfi_undefined rip
  call fencepost_thread_begins
  mov %rax, %rdi
  xor %ebx, %ebx
  xor %ebp, %ebp
  xor %r12d, %r12d
  xor %r13d, %r13d
  xor %r14d, %r14d
  xor %r15d, %r15d
  call *%rdx
  mov %rax, %rdi
  call fencepost_thread_ends
  ud2
  .cfi_endproc
.size fencepost_first_frame, .-fencepost_first_frame
)");

extern "C" void fencepost_first_frame();

void* prepare_stack(void* top, std::uint64_t floating_point) {
  auto* sp = static_cast<std::uint64_t*>(top);
  sp -= 2;  // the stack is aligned at the call
  sp[0] = sp[1] = 0;
  *--sp = reinterpret_cast<std::uint64_t>(&fencepost_first_frame);
  for (int i = 0; i < 6; ++i) *--sp = 0;  // rbp, rbx, r12 .. r15
  *--sp = floating_point;
  return sp;
}

std::uint64_t floating_point_state() {
  std::uint32_t vectors;
  std::uint16_t x87;
  asm volatile("stmxcsr %0" : "=m"(vectors));
  asm volatile("fnstcw %0" : "=m"(x87));
  return vectors | std::uint64_t{x87} << 32;
}

bool thread_pointer_is_writable() {
  constexpr unsigned long kFsGsBase = 2;
  return (getauxval(AT_HWCAP2) & kFsGsBase) != 0;
}

std::uintptr_t thread_pointer() {
  std::uintptr_t value;
  asm volatile("mov %%fs:0, %0" : "=r"(value));
  return value;
}

void set_thread_pointer(std::uintptr_t value) {
  asm volatile("wrfsbase %0" : : "r"(value) : "memory");
}

void processor_features(std::uint64_t (&features)[4]) {
  const auto pair = [](unsigned high, unsigned low) { return std::uint64_t{high} << 32 | low; };
  unsigned a = 0, b = 0, c = 0, d = 0;  // b of leaf 1 says which of the processors this is
  __get_cpuid(1, &a, &b, &c, &d);
  features[0] = pair(c, d);
  a = b = c = d = 0;
  __get_cpuid_count(7, 0, &a, &b, &c, &d);
  features[1] = pair(b, c);
  features[2] = d;
  a = b = c = d = 0;
  __get_cpuid(0x80000001, &a, &b, &c, &d);
  features[3] = pair(c, d);
}

std::uint64_t interrupted_pc(const void* context) {
  return static_cast<std::uint64_t>(
      static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
}

std::uint64_t interrupted_stack(const void* context) {
  return static_cast<std::uint64_t>(
      static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_RSP]);
}

long kernel::call(long number, long a, long b, long c, long d, long e, long f) {
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = e;
  register long r9 asm("r9") = f;
  long result;
  asm volatile("syscall"
               : "=a"(result)
               : "0"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return result;
}

}  // namespace fencepost::checker
