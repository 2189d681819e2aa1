// SPDX-License-Identifier: MIT
// Inline assembly that has no model is refused with its line, by instruction.
//
// case: time
// flags: -DHOW="rdtsc"
// expect: all=inconclusive at=asm says="assembly is not modelled: 'rdtsc': what it gives comes from outside"
//
// case: processor
// flags: -DHOW="cpuid"
// expect: all=inconclusive at=asm says="'cpuid'"
//
// case: system_call
// flags: -DHOW="syscall"
// expect: all=inconclusive at=asm says="'syscall'"
//
// case: many_words
// flags: -DHOW="rep;movsb"
// expect: all=inconclusive at=asm says="'rep movsb"
//
// case: no_lock
// flags: -DHOW="cmpxchgl %%ecx,word(%%rip)"
// expect: all=inconclusive at=asm says="'cmpxchgl %ecx, ?word"
//
// case: wide_store
// flags: -DHOW="movaps %%xmm0,word(%%rip)"
// expect: all=inconclusive at=asm says="'movaps"
//
// case: past_the_caches
// flags: -DHOW="movnti %%eax,word(%%rip)"
// expect: all=inconclusive at=asm says="'movnti"
//
// case: other_segment
// flags: -DHOW="movl %%fs:0,%%eax"
// expect: all=inconclusive at=asm says="'movl %fs:0, ?%eax'"
//
// case: stack
// flags: -DHOW="pushfq;popq %%rax"
// expect: all=inconclusive at=asm says="'pushfq'"
//
// case: data
// flags: -DHOW=".byte 0x90"
// expect: all=refused at=asm says="'.byte (0x90|144)'"
//
// case: second_of_a_statement
// flags: -DHOW="nop;lock;addl $1,word(%%rip);rdrand %%eax"
// expect: all=inconclusive at=asm says="'rdrandl? %eax'"
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

__attribute__((aligned(16))) int word[4];

int main(void) {
  __asm__ __volatile__(TEXT(HOW)::: "memory");  // @asm
  return 0;
}
