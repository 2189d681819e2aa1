// SPDX-License-Identifier: MIT
// What a round leaves behind, by functions that compilers call.
//
// case: for_the_threads_end
// flags: -DAT_END
// expect: all=violated:assertion
//
// case: the_rest_of_a_division
// expect: all=violated:assertion
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> x{0};

#ifdef AT_END
extern "C" int __cxa_thread_atexit(void (*)(void*), void*, void*);
extern "C" char __dso_handle;
static void fail(void*) { assert(false); }
static void leave_something() { __cxa_thread_atexit(fail, nullptr, &__dso_handle); }
static bool is_unchanged() { return true; }
#else
__extension__ using Wide = unsigned __int128;
extern "C" Wide __udivmodti4(Wide, Wide, Wide*);
static Wide rest;
static void leave_something() { static_cast<void>(__udivmodti4(7, 4, &rest)); }
static bool is_unchanged() { return rest == 0; }
#endif

int main() {
  std::thread other([] {
    while (x.load() == 0) leave_something();
  });
  x.store(1);
  other.join();
  assert(is_unchanged());
}
