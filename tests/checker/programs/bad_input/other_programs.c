// SPDX-License-Identifier: MIT
// What would make another program of it than the one that could be run here is refused by name:
// flags that bring a library's threads, or another instrumentation, and instructions made of data.
//
// case: scopes_that_gcc_does_not_tell
// flags: -fstack-reuse=none
// expect: all=error says="'-fstack-reuse=none' cannot be checked .the scopes"
//
// case: scopes_that_clang_does_not_tell
// flags: -Xclang -disable-lifetime-markers
// options: --cc clang-14
// expect: all=error says="'-disable-lifetime-markers' cannot be checked .the scopes"
//
// case: flags_in_a_file
// flags: @flags
// expect: all=error says="'@flags' cannot be checked .what such a file holds"
//
// case: openmp
// flags: -fopenmp
// expect: all=error says="'-fopenmp' cannot be checked .OpenMP"
//
// case: thunks_in_line
// flags: -mindirect-branch=thunk-inline
// expect: all=error says="'-mindirect-branch=thunk-inline' cannot be checked"
//
// case: openmp_by_clang
// flags: -fopenmp=libgomp
// options: --cc clang-14
// expect: all=error says="'-fopenmp=libgomp' cannot be checked"
//
// case: loops_made_parallel
// flags: -ftree-parallelize-loops=4
// expect: all=error says="threads that it makes are not modelled"
//
// case: another_sanitizer
// flags: -fsanitize=undefined
// expect: all=error says="no other sanitizer"
//
// case: coverage
// flags: --coverage
// expect: all=error says="'--coverage' cannot be checked"
//
// case: thirty_two_bits
// flags: -m32
// expect: all=error says="64 bits"
//
// case: instructions_made_of_data
// flags: -DDATA
// expect: all=refused says="'code' is data in a section of code"
//
// case: instructions_made_of_data_by_clang
// flags: -DDATA
// options: --cc clang-14
// expect: all=refused says="'code' is data in a section of code"
//
// case: overflow_ends_the_program
// flags: -ftrapv
// expect: all=holds executions=1
#ifdef DATA
__attribute__((section(".text"))) const unsigned char code[] = {0xf0, 0xff, 0x07, 0xc3};
#endif

int number;

int main(void) {
#ifdef DATA
  ((void (*)(int*))code)(&number);
  return number - 1;
#else
  number += 1;
  return number - 1;
#endif
}
