// SPDX-License-Identifier: MIT
// std::binary_semaphore and std::counting_semaphore of libstdc++ 12 lose wake-ups, whatever the
// memory model: docs/checker/shipped_code.md. acquire() reads the count, looks whether it can take
// one, and then sleeps for as long as the count is what it read first, even if that was not 0.
//
// case: as_a_mutex_of_two_threads
// expect: all=violated:lost-wakeup says="T1 sleeps on the futex word semaphore"
//
// case: as_a_mutex_of_two_threads_with_the_library_as_written
// options: --library-as-written
// expect: all=violated:lost-wakeup says="T1 sleeps on the futex word semaphore"
//
// case: two_acquire_and_two_are_released_one_by_one
// flags: -DRELEASES=2
// expect: all=violated:lost-wakeup says="T[12] sleeps on the futex word semaphore"
//
// case: two_acquire_and_two_are_released_at_once
// flags: -DRELEASES=1
// expect: all=holds
#include <semaphore>
#include <thread>

#ifdef RELEASES

std::counting_semaphore<2> semaphore{0};

int main() {
  std::thread first([] { semaphore.acquire(); });
  std::thread second([] { semaphore.acquire(); });
  for (int i = 0; i < RELEASES; i++) semaphore.release(2 / RELEASES);
  first.join();
  second.join();
}

#else

std::binary_semaphore semaphore{1};
int inside = 0;

void work() {
  semaphore.acquire();
  inside++;
  semaphore.release();
}

int main() {
  std::thread other(work);
  work();
  other.join();
}

#endif
