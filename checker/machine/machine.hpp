// SPDX-License-Identifier: MIT
// The few things that depend on the processor: switching stacks, the thread pointer, and capturing
// the registers that a call preserves. Each processor has a file of its own here and a
// thread_storage_*.cpp, and a tsan_*.cpp with the entry stubs in interface/.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fencepost::checker {

// How many registers a function must preserve, the stack pointer apart.
#if defined(__aarch64__)
inline constexpr unsigned kPreservedRegisters = 19;  // x19 .. x29, d8 .. d15
#else
inline constexpr unsigned kPreservedRegisters = 6;  // rbx, rbp, r12 .. r15
#endif

// Those registers as they were when the program called an entry point that looks for repeated
// states; written by the entry stubs.
struct SavedRegisters {
  std::uint64_t stack;  // the end of the caller's frame, without the return address of the call
  std::uint64_t preserved[kPreservedRegisters];
};
extern "C" SavedRegisters fencepost_saved_registers;

// Saves the current stack in *save, with the floating-point state, and continues on `load`.
extern "C" void fencepost_switch_stack(void** save, void* load);

// setjmp: keeps in the buffer the registers that a function must preserve, with the stack pointer
// at kJumpStack and where it returns to, calls fencepost_notes_jump and returns 0. It leaves
// nothing on the stack. The program's calls of setjmp, _setjmp and sigsetjmp are sent here.
extern "C" int fencepost_setjmp(void* buffer);
// Returns `result` from there.
extern "C" [[noreturn]] void fencepost_jump(const void* buffer, int result);
#if defined(__aarch64__)
inline constexpr std::size_t kJumpRegisters = 168;
inline constexpr std::size_t kJumpStack = 96;
#else
inline constexpr std::size_t kJumpRegisters = 64;
inline constexpr std::size_t kJumpStack = 48;
#endif

// How the thread that runs rounds, what it does of very small numbers, and what has come of that.
std::uint64_t floating_point_state();

// Clears as many bytes below the caller's frame, a multiple of 64. Changes no register but those
// that carry the first argument and scratch ones; not those of a result that is passed in registers
// of its own (x86-64: rdx; AArch64: x1, x10).
extern "C" void fencepost_wipe_stack(std::size_t bytes);

// The same without a call, which leaves where it came from on the stack of some processors.
#if defined(__x86_64__)
[[gnu::always_inline]] inline void wipe_stack(std::size_t bytes) {
  std::uintptr_t at;
  asm volatile(
      "pxor %%xmm0, %%xmm0\n"
      "mov %%rsp, %0\n"
      "sub %1, %0\n"
      "1:\n"
      "movups %%xmm0, (%0)\n"
      "movups %%xmm0, 16(%0)\n"
      "movups %%xmm0, 32(%0)\n"
      "movups %%xmm0, 48(%0)\n"
      "add $64, %0\n"
      "cmp %%rsp, %0\n"
      "jb 1b"
      : "=&r"(at)
      : "r"(bytes)
      : "xmm0", "cc", "memory");
}
#else
inline void wipe_stack(std::size_t bytes) { fencepost_wipe_stack(bytes); }
#endif

// An entry point that has no result leaves none. clang's functions push the register of results
// where they only want the stack to be aligned, and stacks are compared.
[[gnu::always_inline]] inline void leave_no_result() {
#if defined(__x86_64__)
  asm volatile("xorl %%eax, %%eax" ::: "rax", "cc");
#endif
}

// Nor does one that stands in a loop leave anything else in registers: inline assembly may look at
// all of them.
[[gnu::always_inline]] inline void leave_nothing() {
#if defined(__x86_64__)
  asm volatile(
      "pxor %%xmm0, %%xmm0\n pxor %%xmm1, %%xmm1\n pxor %%xmm2, %%xmm2\n pxor %%xmm3, %%xmm3\n"
      "pxor %%xmm4, %%xmm4\n pxor %%xmm5, %%xmm5\n pxor %%xmm6, %%xmm6\n pxor %%xmm7, %%xmm7\n"
      "xorl %%eax, %%eax\n xorl %%ecx, %%ecx\n xorl %%edx, %%edx\n xorl %%esi, %%esi\n"
      "xorl %%edi, %%edi\n xorl %%r8d, %%r8d\n xorl %%r9d, %%r9d\n xorl %%r10d, %%r10d\n"
      "xorl %%r11d, %%r11d\n" ::
          : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "rax", "rcx", "rdx",
            "rsi", "rdi", "r8", "r9", "r10", "r11", "cc");
#elif defined(__aarch64__)
  asm volatile(
      "movi v0.2d, #0\n movi v1.2d, #0\n movi v2.2d, #0\n movi v3.2d, #0\n"
      "movi v4.2d, #0\n movi v5.2d, #0\n movi v6.2d, #0\n movi v7.2d, #0\n"
      "mov x0, xzr\n mov x1, xzr\n mov x2, xzr\n mov x3, xzr\n mov x4, xzr\n mov x5, xzr\n"
      "mov x6, xzr\n mov x7, xzr\n mov x8, xzr\n mov x9, xzr\n mov x10, xzr\n mov x11, xzr\n"
      "mov x12, xzr\n mov x13, xzr\n mov x14, xzr\n mov x15, xzr\n mov x16, xzr\n"
      "mov x17, xzr\n cmp xzr, xzr\n" ::
          : "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "x0", "x1", "x2", "x3", "x4", "x5",
            "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16", "x17", "cc");
#endif
}

// Returns its argument, and clears the 192 bytes below the return address that it is called with
// (kPassingUses): a function that leaves with a jump to here leaves nothing on the stack.
std::uint8_t passed(std::uint8_t result) asm("fencepost_replayed");
std::uint16_t passed(std::uint16_t result) asm("fencepost_replayed");
std::uint32_t passed(std::uint32_t result) asm("fencepost_replayed");
std::uint64_t passed(std::uint64_t result) asm("fencepost_replayed");
int passed(int result) asm("fencepost_replayed");

// A stack pointer that, switched to, asks fencepost_thread_begins what to call, calls it with all
// preserved registers zero (they end up on the stack, and stacks are compared), and passes its
// result to fencepost_thread_ends. It begins with that floating-point state.
void* prepare_stack(void* top, std::uint64_t floating_point);

struct ThreadCall {
  void* argument;
  void* (*function)(void*);
};
extern "C" ThreadCall fencepost_thread_begins();
extern "C" [[noreturn]] void fencepost_thread_ends(void* result);

// The register through which the compiler finds thread-local variables.
bool thread_pointer_is_writable();
std::uintptr_t thread_pointer();
void set_thread_pointer(std::uintptr_t value);

// What this processor can do, as far as libraries ask before they choose what to run.
void processor_features(std::uint64_t (&features)[4]);

// The instruction at which a signal arrived, from what its handler is given.
std::uint64_t interrupted_pc(const void* context);
std::uint64_t interrupted_stack(const void* context);

}  // namespace fencepost::checker
