// std::scoped_lock takes several locks by attempts in a loop. Nothing is wrong with these programs,
// but where attempts of such loops seem to ask for each other's rounds without end there is no
// verdict, and where it is so depends on the code (docs/checker_limits.md).
//
// case: two_threads
// options: --cc gcc
// expect: all=holds
//
// case: two_threads_that_start_at_another_lock
// flags: -DFIRST=1
// options: --cc gcc
// expect: all=inconclusive says="more than 16 times"
//
// case: two_threads_that_start_at_another_lock_unoptimised
// flags: -DFIRST=1 -O0
// expect: all=holds
//
// case: three_threads
// flags: -DTHREE
// options: --cc gcc
// expect: all=inconclusive says="more than 16 times"
//
// case: philosophers
// flags: -DLOCKS=3 -DFIRST=2 -DTHREE
// options: --cc gcc
// expect: all=inconclusive says="does not do the same again"
//
// case: philosophers_unoptimised
// flags: -DLOCKS=3 -DFIRST=2 -DTHREE -O0
// expect: all=holds
#include <mutex>
#include <thread>

#ifndef LOCKS
#define LOCKS 2
#endif

std::mutex locks[LOCKS];
int used[LOCKS];

void use(int first, int second) {
  std::scoped_lock held(locks[first], locks[second]);
  ++used[first];
  ++used[second];
}

#ifdef FIRST
void begin_at(int first) { use(first, (first + 1) % LOCKS); }
#endif

int main() {
#ifdef FIRST
  std::thread one(begin_at, 0);
#else
  std::thread one([] { use(0, 1); });
#endif
#ifdef THREE
  std::thread another([] { use(1, 2 % LOCKS); });
#endif
#ifdef FIRST
  begin_at(FIRST);
#else
  use(1, 0);
#endif
#ifdef THREE
  another.join();
#endif
  one.join();
}
