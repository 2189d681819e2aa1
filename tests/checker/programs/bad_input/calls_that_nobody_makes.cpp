// SPDX-License-Identifier: MIT
// Calls of functions without a model: what no execution comes to has done nothing; one that an
// execution comes to leaves no verdict, with its line.
//
// case: never
// flags: -DASKED=false
// expect: all=holds executions=2
//
// case: never_and_it_fails
// flags: -DASKED=false -DFAILS
// expect: all=violated:assertion at=fails
//
// case: never_at_the_lowest_level
// flags: -DASKED=false -O0
// expect: all=holds executions=2
//
// case: in_one_of_two_executions
// flags: -DASKED=first==1
// expect: all=inconclusive at=call says="'setenv\(\)' is not modelled"
//
// case: in_main_alone
// flags: -DASKED=false -DAT_THE_END
// expect: all=inconclusive at=end says="'fclose\(\)' is not modelled"
//
// case: of_the_cxx_library
// flags: -DASKED=false -DSTREAM
// expect: all=inconclusive at=stream says="uses a file"
//
// case: by_a_pointer
// flags: -DASKED=false -DPOINTER
// expect: all=inconclusive at=pointer says="'fclose\(\)'"
//
// case: by_a_pointer_that_is_not_called
// flags: -DASKED=false -DDELETER
// expect: all=holds executions=2
//
// case: before_main
// flags: -DASKED=false -DBEFORE
// expect: all=inconclusive at=before says="'getrlimit(64)?\(\)'"
//
// case: at_exit
// flags: -DASKED=false -DAT_EXIT
// expect: all=inconclusive says="'tmpfile(64)?\(\)'"
//
// case: jumps
// flags: -DASKED=false -DJUMPS
// expect: all=holds executions=2
//
// case: by_a_weak_name_of_nothing
// flags: -DASKED=false -DWEAK
// expect: all=holds executions=2
//
// case: by_a_weak_name
// flags: -DASKED=false -DWEAK -DWEAKLY=fclose
// expect: all=holds executions=2
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include <atomic>
#include <cassert>
#include <fstream>
#include <memory>
#include <thread>

static std::atomic<int> order{0};
static FILE* volatile no_file = nullptr;

#ifdef BEFORE
static rlimit limit;
static int before = getrlimit(RLIMIT_NOFILE, &limit);  // @before
#endif
#ifdef WEAK
#ifndef WEAKLY
#define WEAKLY there_is_no_such_function
#endif
extern "C" __attribute__((weak)) int WEAKLY(FILE*);
#endif

int main() {
  std::thread other([] { order.fetch_add(1); });
  const int first = order.fetch_add(1);
#ifdef FAILS
  assert(first == 0);  // @fails
#endif
  if (ASKED) setenv("NAME", "value", 1);  // @call
#ifdef STREAM
  if (first == 1) std::ofstream("a file") << first;  // @stream
#endif
#ifdef POINTER
  int (*volatile closes)(FILE*) = fclose;
  if (first == 1) closes(no_file);  // @pointer
#endif
#ifdef DELETER
  std::unique_ptr<FILE, int (*)(FILE*)> log(nullptr, fclose);
#endif
#ifdef JUMPS
  static jmp_buf back;
  if (first > 1 && setjmp(back) == 0) longjmp(back, 1);
#endif
#ifdef WEAK
  if (first > 1 && WEAKLY != nullptr) WEAKLY(no_file);
#endif
#ifdef AT_EXIT
  atexit([] { (void)tmpfile(); });
#endif
  other.join();
#ifdef AT_THE_END
  if (no_file == nullptr) fclose(no_file);  // @end
#endif
}
