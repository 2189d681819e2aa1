// SPDX-License-Identifier: MIT
// What constructors of static objects do wrong happens in every execution, before its first event.
//
// case: trap
// flags: -DTRAP
// expect: all=violated:memory at=trap says="crashes with SIG(ILL|TRAP).*before main"
//
// case: wild_read
// flags: -DWILD_READ
// expect: all=violated:memory at=wild_read says="SIGSEGV.*before main"
//
// case: trap_at_level_2
// flags: -DTRAP -O2
// expect: all=violated:memory at=trap
//
// case: assertion
// flags: -DASSERTION
// expect: all=violated:assertion at=assertion says="before main"
//
// case: abort
// flags: -DABORT
// expect: all=violated:assertion at=abort
//
// case: uncaught
// flags: -DUNCAUGHT
// expect: all=violated:uncaught says="runtime_error: too early"
//
// case: exit_status
// flags: -DEXIT=3
// expect: all=violated:exit-status at=exit says="exit status 3 before main"
//
// case: any_exit_status
// flags: -DEXIT=3
// options: --any-exit-status
// expect: all=inconclusive at=exit says="ends before main"
//
// case: exit_with_success
// flags: -DEXIT=0
// expect: all=inconclusive at=exit says="ends before main"
//
// case: double_free
// flags: -DDOUBLE_FREE
// expect: all=violated:memory at=double_free says="double free"
//
// case: free_of_the_middle
// flags: -DMIDDLE
// expect: all=violated:memory at=middle says="no allocated block"
//
// case: right
// expect: all=holds executions=1
#include <cassert>
#include <cstdlib>
#include <stdexcept>

static char* volatile place;

struct Early {
  Early() {
#if defined(TRAP)
    __builtin_trap();  // @trap
#elif defined(WILD_READ)
    sum = *place;  // @wild_read
#elif defined(ASSERTION)
    assert(place != nullptr);  // @assertion
#elif defined(ABORT)
    std::abort();  // @abort
#elif defined(UNCAUGHT)
    throw std::runtime_error("too early");
#elif defined(EXIT)
    std::exit(EXIT);  // @exit
#elif defined(DOUBLE_FREE)
    place = static_cast<char*>(std::malloc(8));
    std::free(place);
    std::free(place);  // @double_free
#elif defined(MIDDLE)
    place = static_cast<char*>(std::malloc(8)) + 1;
    std::free(place);  // @middle
#else
    try {
      throw std::runtime_error("in time");
    } catch (const std::runtime_error&) {
      sum = 1;
    }
    place = static_cast<char*>(std::malloc(8));
    std::free(place);
    place = static_cast<char*>(std::malloc(8));
#endif
  }
  int sum = 0;
};

static Early early;

int main() {
  assert(early.sum == 1);
  std::free(place);
}
