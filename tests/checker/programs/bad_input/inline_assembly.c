// SPDX-License-Identifier: MIT
// Inline assembly is invisible to instrumentation. What only hints or only stops the compiler is
// let through.
//
// case: memory_fence
// flags: -DHOW="mfence"
// expect: all=refused at=asm says="asm|assembly"
//
// case: locked_instruction
// flags: -DHOW="lock;addl$0,(%%rsp)"
// expect: all=refused at=asm says="asm|assembly"
//
// case: compiler_barrier
// flags: -DHOW=
// expect: all=holds executions=1
//
// case: pause
// flags: -DHOW=pause
// expect: all=holds executions=1
//
// case: rep_nop
// flags: -DHOW="rep;nop"
// expect: all=holds executions=1
#define TEXT_(...) #__VA_ARGS__
#define TEXT(...) TEXT_(__VA_ARGS__)

int main(void) {
  __asm__ __volatile__(TEXT(HOW)::: "memory");  // @asm
  return 0;
}
