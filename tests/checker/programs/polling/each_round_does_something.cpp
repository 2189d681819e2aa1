// SPDX-License-Identifier: MIT
// Loops of which each round does what others may see, so that there are executions of any length.
// What is wrong shows in short ones, and is found there. In each case main may look while the other
// thread is in the middle of a round; that it may do so in each of the rounds it takes is
// the point.
//
// case: a_lock_of_its_own
// flags: -DTAKE="while (held.exchange(true))" -DTRY="!held.exchange(true)" -DGIVE="held = false"
// expect: c++20=violated:assertion x86=violated:assertion sc=violated:assertion
//
// case: a_semaphore
// flags: -DTAKE="sem_wait(&semaphore)" -DTRY="sem_trywait(&semaphore) == 0" -DGIVE="sem_post(&semaphore)"
// expect: c++20=violated:assertion x86=violated:assertion sc=violated:assertion
//
// The library's own reads its counter twice before it sleeps (libstdc++ bug 104928).
// case: a_semaphore_of_the_library
// flags: -DTAKE="tokens.acquire()" -DTRY="tokens.try_acquire()" -DGIVE="tokens.release()"
// expect: c++20=violated:lost-wakeup
//
// case: a_number_that_goes_up_and_down
// flags: -DTAKE="count.fetch_add(1)" -DTRY="count.fetch_add(1) == 0" -DGIVE="count.fetch_sub(1)"
// expect: c++20=violated:assertion x86=violated:assertion sc=violated:assertion
//
// The first to come waits for nobody, as there is no other.
// case: nobody_looks
// flags: -DTAKE="count++" -DTRY="count >= 0" -DGIVE="count++"
// options: --max-events 300
// expect: c++20=inconclusive says="so far no violation, of executions in which no thread has more than [0-9]+ events"
#include <semaphore.h>

#include <atomic>
#include <cassert>
#include <semaphore>
#include <thread>

static std::atomic<bool> held;
static std::counting_semaphore<1> tokens{1};
static sem_t semaphore;
static std::atomic<int> count;
static std::atomic<bool> over;

static bool poll() {
  TAKE;
  const bool is_over = over;
  GIVE;
  return is_over;
}

int main() {
  sem_init(&semaphore, 0, 1);
  std::thread poller([] {
    while (!poll()) {
    }
  });
  int failed = 0;
  for (int i = 0; i < 2; ++i) {
    if (TRY) {
      GIVE;
    } else {
      ++failed;
      over.load();
      TAKE;
      GIVE;
    }
  }
  over = true;
  poller.join();
  assert(failed < 2);
}
