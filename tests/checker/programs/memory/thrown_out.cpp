// SPDX-License-Identifier: MIT
// A function makes the address of a variable known and is left by an exception: the variable has
// ended, also where the function was inlined.
//
// case: parameter
// flags: -DPARAMETER
// expect: all=violated:memory at=use
//
// case: local
// expect: all=violated:memory at=use
//
// case: parameter_of_who_is_never_inlined
// flags: -DPARAMETER -DINLINE=[[gnu::noinline]]
// expect: all=violated:memory at=use
//
// case: through_another_one
// flags: -DDEEP
// expect: all=violated:memory at=use
//
// case: nobody_uses_it
// flags: -DPARAMETER -DTAKES_IT_BACK
// expect: all=holds
#include <atomic>
#include <thread>

#ifndef INLINE
#define INLINE [[gnu::always_inline]]
#endif

std::atomic<int*> shared{nullptr};
std::atomic<bool> failed{false};

#ifdef DEEP
INLINE inline void fail(bool now) {
  if (now) throw 1;
}
#endif

#ifdef PARAMETER
INLINE inline void start(int progress, bool fails) {
#else
INLINE inline void start(bool fails) {
  int progress = 0;
#endif
  shared = &progress;
#ifdef TAKES_IT_BACK
  shared = nullptr;
#endif
#ifdef DEEP
  fail(fails);
#else
  if (fails) throw 1;
#endif
  shared = nullptr;
}

int main(int count, char**) {
  std::thread worker([] {
    if (!failed) return;
    if (int* const seen = shared) *seen = 1;  // @use
  });
  try {
#ifdef PARAMETER
    start(0, count > 0);
#else
    start(count > 0);
#endif
  } catch (int) {
  }
  failed = true;
  worker.join();
}
