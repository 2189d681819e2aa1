// SPDX-License-Identifier: MIT
// A std::counting_semaphore may not be released beyond its max(): two threads each give what there
// is room for once.
//
// case: binary
// flags: -DMAX=1 -DFIRST=1 -DSECOND=1
// expect: all=violated:memory at=release says="beyond its max"
//
// case: there_is_room
// flags: -DMAX=2 -DFIRST=1 -DSECOND=1
// expect: all=holds
//
// case: several_at_once
// flags: -DMAX=4 -DFIRST=1 -DSECOND=4
// expect: all=violated:memory at=release
//
// case: several_at_once_with_room
// flags: -DMAX=5 -DFIRST=1 -DSECOND=4
// expect: all=holds
//
// case: the_usual_maximum
// flags: -DFIRST=1 -DSECOND=7
// expect: all=holds
//
// case: nearly_the_usual_maximum_twice
// flags: -DFIRST=0x7fffffff -DSECOND=1
// expect: all=violated:memory at=release
//
// case: not_optimised
// flags: -DMAX=1 -DFIRST=1 -DSECOND=1 -O0
// expect: all=violated:memory says="beyond its max"
//
// case: with_clang
// flags: -DMAX=1 -DFIRST=1 -DSECOND=1
// options: --cc clang-14
// expect: all=violated:memory at=release
//
// case: with_clang_and_room
// flags: -DMAX=2 -DFIRST=1 -DSECOND=1
// options: --cc clang-14
// expect: all=holds
//
// case: as_written
// flags: -DMAX=1 -DFIRST=1 -DSECOND=1
// options: --library-as-written
// expect: c++20=holds
//
// case: made_with_more
// flags: -DMADE=3
// expect: all=violated:memory at=made says="beyond its max"
//
// case: made_with_less_than_nothing
// flags: -DMADE=-1
// expect: all=violated:memory at=made says="below zero"
//
// case: made_with_as_much
// flags: -DMADE=2
// expect: all=holds
//
// case: released_by_less_than_nothing
// flags: -DMAX=1 -DFIRST=1 -DSECOND=-1
// expect: all=violated:memory at=release says="below zero"
#include <semaphore>
#include <thread>

namespace {

#ifdef MAX
std::counting_semaphore<MAX> semaphore(0);
#else
std::counting_semaphore<> semaphore(0);
#endif

}  // namespace

int main() {
#ifdef MADE
  std::counting_semaphore<2> own(MADE);  // @made
  std::jthread other([&] { own.release(0); });
  for (int i = 0; i < MADE; ++i) own.acquire();
#else
  std::jthread other([] {
    semaphore.release(FIRST);  // @release
  });
  semaphore.release(SECOND);  // @release
#endif
}
