// SPDX-License-Identifier: MIT
// std::barrier of libstdc++ 12. Like std::latch it moves on by a release operation and then looks
// whether anybody waits: by the letter of C++20 that look may come first. Unless the library is to
// be judged as written its place is taken by the checker's own: barrier/standard.cpp.
//
// case: two_threads_and_a_completion
// expect: all=holds executions=2
//
// case: two_threads_and_a_completion_with_the_library_as_written
// options: --library-as-written
// expect: c++20=violated:lost-wakeup x86=holds sc=holds
//
// case: one_drops_out
// flags: -DDROPS
// expect: all=holds executions=2
//
// case: one_drops_out_with_the_library_as_written
// flags: -DDROPS
// options: --library-as-written
// expect: x86=holds sc=holds
#include <barrier>
#include <cassert>
#include <thread>

int written[2];
int completed = 0;

struct complete {
  void operator()() noexcept { completed++; }
};

std::barrier<complete> meeting(2);

int main() {
  std::thread other([] {
    written[1] = 1;
#ifdef DROPS
    meeting.arrive_and_drop();
#else
    meeting.arrive_and_wait();
    assert(written[0] == 1 && completed == 1);
#endif
  });
  written[0] = 1;
  meeting.arrive_and_wait();
  assert(written[1] == 1 && completed == 1);
#ifdef DROPS
  meeting.arrive_and_wait();
  assert(completed == 2);
#endif
  other.join();
}
