// SPDX-License-Identifier: MIT
// std::counting_semaphore and std::latch. libstdc++ 12 writes the latch as a release
// read-modify-write, then a look at the count of waiters: on x86 the locked instruction orders the
// two, as written C++ alone does not. (Unless the library is to be judged as written the latch is
// the checker's own: latch/standard.cpp.) Its semaphore wakes without looking.
//
// case: semaphore
// expect: all=holds
//
// case: semaphore_with_the_library_as_written
// options: --library-as-written
// expect: all=holds
//
// case: semaphore_polled
// flags: -DPOLL
// expect: all=holds
//
// case: semaphore_never_released
// flags: -DNO_RELEASE
// expect: all=violated:lost-wakeup
//
// case: latch
// flags: -DLATCH
// expect: all=holds
//
// case: latch_with_the_library_as_written
// flags: -DLATCH
// options: --library-as-written
// expect: c++20=violated:lost-wakeup x86=holds sc=holds
//
// case: latch_counted_once_too_often
// flags: -DLATCH -DTOO_MANY
// expect: all=violated:deadlock at=wait says="T1 waits for the latch gate, which is at 1,"
//
// case: latch_counted_once_too_often_with_the_library_as_written
// flags: -DLATCH -DTOO_MANY
// options: --library-as-written
// expect: all=violated:lost-wakeup
#include <cassert>
#include <latch>
#include <semaphore>
#include <thread>

int payload = 0;
#ifdef LATCH
#ifdef TOO_MANY
std::latch gate{2};
#else
std::latch gate{1};
#endif
#else
std::counting_semaphore<8> gate{0};
#endif

int main() {
  std::thread waiter([] {
#if defined(LATCH)
    gate.wait();  // @wait
#elif defined(POLL)
    while (!gate.try_acquire()) {
    }
#else
    gate.acquire();
#endif
    assert(payload == 42);
  });
  payload = 42;
#if defined(LATCH)
  gate.count_down();
#elif !defined(NO_RELEASE)
  gate.release();
#endif
  waiter.join();
}
