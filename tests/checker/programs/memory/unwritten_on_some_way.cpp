// SPDX-License-Identifier: MIT
// A variable that another function may know, declared without a value and given one later: by a
// call that may throw instead, in the first round of a loop or not, through a pointer that was
// kept.
//
// case: the_call_that_gives_it_one_throws
// flags: -DTHROWS
// expect: all=violated:memory
//
// case: the_call_that_gives_it_one_returns
// flags: -DTHROWS -DRETURNS
// expect: all=holds
//
// case: given_one_in_the_second_round
// flags: -DROUND=1
// expect: all=violated:memory
//
// case: given_one_in_the_first_round
// flags: -DROUND=0
// expect: all=holds
//
// case: read_through_a_pointer_first
// flags: -DPOINTER
// expect: all=violated:memory
//
// case: written_through_a_pointer_first
// flags: -DPOINTER -DWRITTEN
// expect: all=holds
#include <cassert>
#include <stdexcept>
#include <thread>

static int sum;
static int first;

[[gnu::noinline]] static void ask(const int* of) {
  if (*of > 10) ++sum;
}

[[gnu::noinline]] static int one(bool throws) {
  if (throws) throw std::runtime_error("none");
  return 1;
}

static void work() {
#ifdef THROWS
  int value;
  try {
#ifdef RETURNS
    value = one(false);
#else
    value = one(true);
#endif
  } catch (const std::runtime_error&) {
  }
  ask(&value);
#elif defined(POINTER)
  int value;
  int* const kept[2] = {&value, &sum};
#ifdef WRITTEN
  *kept[first] = 3;
#endif
  ask(kept[first]);
  value = 2;
  ask(kept[first]);
#else
  int value;
  for (int round = 0; round < 2; ++round) {
    if (round == ROUND) value = 1;
    ask(&value);
  }
#endif
}

int main() {
  std::thread other(work);
  other.join();
  assert(sum == 0);
}
