// SPDX-License-Identifier: MIT
// Rounds of a poller that change something and take it back, which others count: a lock of one's
// own, a semaphore, a counter, a variable. Such a loop is never cut, and without a bound there may
// be no verdict; but it is never said to hold. With rounds that are counted everything is explored.
//
// case: exchanged
// flags: -DEXCHANGED
// options: --max-events 60
// expect: all=violated|inconclusive
//
// case: exchanged_in_three_rounds
// flags: -DEXCHANGED -DROUNDS=3
// expect: all=violated:assertion at=limit
//
// case: exchanged_in_one_round
// flags: -DEXCHANGED -DROUNDS=1
// expect: all=holds
//
// case: compared
// flags: -DCOMPARED
// options: --max-events 60
// expect: all=violated|inconclusive
//
// case: compared_in_three_rounds
// flags: -DCOMPARED -DROUNDS=3
// expect: all=violated:assertion at=limit
//
// case: semaphore
// flags: -DSEMAPHORE
// options: --max-events 60
// expect: all=violated|inconclusive
//
// case: semaphore_in_one_round
// flags: -DSEMAPHORE -DROUNDS=1
// expect: all=holds
//
// case: semaphore_in_three_rounds
// flags: -DSEMAPHORE -DROUNDS=3
// expect: all=violated:assertion at=limit
//
// case: counter
// flags: -DCOUNTER
// options: --max-events 60
// expect: all=violated|inconclusive
//
// case: counter_in_three_rounds
// flags: -DCOUNTER -DROUNDS=3
// expect: all=violated:assertion at=limit
//
// case: counter_in_one_round
// flags: -DCOUNTER -DROUNDS=1
// expect: all=holds
//
// case: variable_under_a_lock
// flags: -DVARIABLE
// options: --max-events 60
// expect: all=violated|inconclusive
#include <semaphore.h>

#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

static std::atomic<int> word{0};
static std::atomic<bool> ready{false};
static sem_t semaphore;
static std::mutex mutex;
static int variable;

static void go_round() {
#if defined(EXCHANGED)
  while (word.exchange(1) != 0) {
  }
  word = 0;
#elif defined(COMPARED)
  for (int free = 0; !word.compare_exchange_strong(free, 1); free = 0) {
  }
  word = 0;
#elif defined(SEMAPHORE)
  sem_wait(&semaphore);
  sem_post(&semaphore);
#elif defined(COUNTER)
  word++;
  word--;
#else
  {
    const std::lock_guard held(mutex);
    variable = 1;
  }
  const std::lock_guard held(mutex);
  variable = 0;
#endif
}

// Is the poller in the middle of a round? That round is over then.
static bool look() {
#if defined(EXCHANGED) || defined(COMPARED)
  const bool free = word.exchange(1) == 0;
  if (free) word = 0;
  while (word != 0) {
  }
  return !free;
#elif defined(SEMAPHORE)
  const bool free = sem_trywait(&semaphore) == 0;
  if (!free) sem_wait(&semaphore);
  sem_post(&semaphore);
  return !free;
#elif defined(COUNTER)
  const bool seen = word != 0;
  while (word != 0) {
  }
  return seen;
#else
  const std::lock_guard held(mutex);
  return variable != 0;
#endif
}

int main() {
  sem_init(&semaphore, 0, 1);
  std::thread poller([] {
#ifdef ROUNDS
    for (int round = 0; round < ROUNDS && !ready; round++) go_round();
#else
    while (!ready) go_round();
#endif
  });
  int seen = 0;
  for (int i = 0; i < 2; i++) seen += look() ? 1 : 0;
  ready = true;
  poller.join();
  assert(seen < 2);  // @limit
}
