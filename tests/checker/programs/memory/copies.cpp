// SPDX-License-Identifier: MIT
// Memory that is moved as a whole: by a function, by an assignment, by passing and returning it.
// Whatever the compiler makes of it, it is seen, or refused with its line.
//
// case: compared_by_the_compilers_function
// flags: -O2 -DFIRST="sink=__builtin_strcmp(reinterpret_cast<char*>(&shared),name)" -DSECOND="shared.cells[0]=1"
// expect: all=violated:data-race at=second
//
// case: measured_by_the_compilers_function
// flags: -DFIRST="sink=__builtin_strlen(reinterpret_cast<char*>(&shared))" -DSECOND="shared.cells[0]=1"
// expect: all=violated:data-race at=second
//
// case: built_in_memset
// flags: -DFIRST="__builtin_memset(&shared,0,40)" -DSECOND="shared.last=1"
// expect: all=violated:data-race at=second
//
// case: built_in_memcpy_optimised
// flags: -O2 -DFIRST="__builtin_memcpy(&other,&shared,40)" -DSECOND="shared.last=1"
// expect: c++20=violated:data-race
//
// case: built_in_memset_over_an_atomic_object
// flags: -DFIRST="__builtin_memset(&shared,0,40)" -DSECOND="shared.add()"
// expect: all=violated:data-race
//
// case: filled
// flags: -O3 -DFIRST="std::fill_n(shared.cells,7,0)" -DSECOND="shared.cells[3]=1"
// expect: c++20=violated:data-race
//
// case: copied_by_the_library
// flags: -O2 -DFIRST="std::copy(shared.cells,shared.cells+7,other.cells)"
// expect: c++20=violated:data-race
//
// case: assigned
// flags: -O0 -DFIRST="shared=other" -DSECOND="shared.cells[3]=1"
// expect: c++20=violated:data-race
//
// case: swapped
// flags: -DFIRST="std::swap(shared,other)" -DSECOND="other.cells[3]=1"
// expect: c++20=violated:data-race
//
// case: made_anew
// flags: -O2 -DFIRST="new(&shared)record{}" -DSECOND="shared.cells[3]=1"
// expect: c++20=violated:data-race
//
// case: passed_by_value
// flags: -DFIRST="take(shared)" -DSECOND="shared.last=1"
// expect: all=violated:data-race
//
// case: passed_by_value_without_optimisation
// flags: -O0 -DFIRST="take(shared)" -DSECOND="shared.last=1"
// expect: c++20=violated:data-race
//
// case: passed_by_value_without_the_copy_that_is_announced
// flags: -DFIRST="take(shared)" -DSECOND="shared.last=1"
// expect: all=violated:data-race at=second
//
// case: passed_by_value_from_a_local_variable
// flags: -DFIRST="record copy=shared;take(copy)" -DSECOND="shared.last=1"
// expect: all=violated:data-race
//
// case: passed_in_registers
// flags: -O2 -DFIRST="take(few)" -DSECOND="few.x=1"
// expect: c++20=violated:data-race
//
// case: passed_in_registers_by_clang
// flags: -O2 -DFIRST="take(few)" -DSECOND="few.x=1"
// options: --cc clang-14
// expect: c++20=violated:data-race
//
// case: passed_by_value_by_clang
// flags: -O2 -DFIRST="take(shared)" -DSECOND="shared.last=1"
// options: --cc clang-14
// expect: c++20=violated:data-race
//
// case: passed_by_value_by_clang_without_optimisation
// flags: -O0 -DFIRST="take(shared)" -DSECOND="shared.last=1"
// options: --cc clang-14
// expect: c++20=violated:data-race
//
// case: returned
// flags: -DFIRST="shared=give()" -DSECOND="shared.last=1"
// expect: all=violated:data-race
//
// case: returned_in_registers
// flags: -DFIRST="few=give_few()" -DSECOND="few.x=1"
// expect: all=violated:data-race
//
// case: returned_by_clang
// flags: -DFIRST="shared=give()" -DSECOND="shared.last=1"
// options: --cc clang-14
// expect: c++20=violated:data-race
//
// case: returned_into_a_local_variable
// flags: -DFIRST="record copy=give();shared=copy" -DSECOND="shared.last=1"
// expect: all=violated:data-race
//
// case: everything_in_turn
// flags: -DTURN -DFIRST="shared=other;std::fill_n(shared.cells,7,1)" -DSECOND="shared.last=1"
// expect: all=holds executions=1
#include <algorithm>
#include <atomic>
#include <cassert>
#include <new>
#include <thread>

#ifndef SECOND
#define SECOND shared.cells[3] = 1
#endif

struct record {
  int cells[7];
  long last;
  void add() { std::atomic_ref<long>(last).fetch_add(1); }
};
struct pair {
  int x, y;
};

char name[] = "name";
unsigned long sink;
alignas(64) record shared;
alignas(64) record other;
alignas(64) pair few;

[[gnu::noinline]] void take(record r) { assert(r.cells[3] + r.last != 99); }
[[gnu::noinline]] void take(pair p) { assert(p.x + p.y != 99); }
[[gnu::noinline]] record give() { return record{{1, 2, 3}, 4}; }
[[gnu::noinline]] pair give_few() { return pair{1, 2}; }

int main() {
  std::thread first([] {
    FIRST;  // @first
  });
#ifdef TURN
  first.join();
#endif
  std::thread second([] {
    SECOND;  // @second
  });
#ifndef TURN
  first.join();
#endif
  second.join();
}
