// SPDX-License-Identifier: MIT
// A program comes, in one execution, to where it has promised that nothing comes: then it is
// anybody's guess what is executed.
//
// case: unreachable
// flags: -DUNREACHABLE
// expect: all=violated:memory at=promise
//
// case: end_of_a_function_with_a_value
// flags: -DEND -w
// expect: all=violated:memory
//
// case: function_that_is_said_not_to_return
// flags: -DRETURNS -w
// expect: all=violated:memory
//
// case: function_that_is_said_not_to_return_by_clang
// flags: -DRETURNS -w
// options: --cc clang-14
// expect: all=violated:memory at=comes_back
//
// case: by_clang
// flags: -DUNREACHABLE
// options: --cc clang-14
// expect: all=violated:memory at=promise
//
// case: asks_not_to_be_looked_at
// flags: -DUNREACHABLE -DQUIET=no_sanitize(\"undefined\")
// expect: all=violated:memory at=promise
//
// case: before_main
// flags: -DBEFORE_MAIN -DRETURNS -DKEPT -w
// expect: all=violated:memory
//
// case: a_flag_that_would_hide_it
// flags: -DUNREACHABLE -fno-sanitize=undefined
// expect: all=error says="-fno-sanitize=undefined"
//
// case: promises_that_are_kept
// flags: -DKEPT
// expect: all=holds
#include <atomic>
#include <cstdlib>
#include <thread>

std::atomic<int> state{0};

#ifdef RETURNS
[[noreturn]] __attribute__((noinline)) void leave() {
  if (state.load() == 0) std::_Exit(0);
}  // @comes_back
#endif

#ifndef QUIET
#define QUIET unused
#endif

#ifdef BEFORE_MAIN
const struct early {
  early() {
    state.store(1);
    leave();
  }
} first;
#endif

__attribute__((noinline, QUIET)) int look() {
  const int found = state.load();
  if (found == 0) return 1;
#ifdef END
}
#elif defined(UNREACHABLE)
  __builtin_unreachable();  // @promise
}
#elif defined(KEPT)
  if (found == 1) return 2;
  __builtin_unreachable();
}
#else
  leave();
}
#endif

int main() {
  std::thread other([] { state.store(1); });
  const int found = look();
  other.join();
  return found > 2;
}
