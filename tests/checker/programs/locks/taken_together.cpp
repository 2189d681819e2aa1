// SPDX-License-Identifier: MIT
// Several mutexes at once, by std::lock and std::scoped_lock, as the standard has it: by some
// sequence of locking, trying and unlocking. Whoever tries one of them may find it held in a round
// that comes to nothing; nobody else can tell.
//
// case: in_any_order
// expect: all=holds executions=6
//
// case: identical_threads
// flags: -DIDENTICAL
// options: --symmetry
// expect: all=holds executions=1
//
// case: five_philosophers
// flags: -DPHILOSOPHERS=5
// expect: all=holds executions=30
//
// The holder waits for the one that waits for both.
// case: one_is_never_given_back
// flags: -DNEVER
// expect: all=violated:deadlock
//
// ... which waits for the first of them, and has nothing.
// case: another_waits_for_what_is_free
// flags: -DFREE
// expect: all=holds
//
// case: held_before
// flags: -DTWICE=a
// expect: all=violated
//
// case: the_second_held_before
// flags: -DTWICE=b
// expect: all=violated
//
// case: one_mutex_twice
// flags: -DSAME
// expect: all=violated:memory
//
// Two attempts fail, at two threads.
// case: tried_twice
// flags: -DTRIED
// expect: all=violated:assertion at=failed
//
// In a round that comes to nothing, for its holder then waits for the other one.
// case: found_held_in_vain
// flags: -DIN_VAIN
// expect: all=violated:assertion at=in_vain
//
// And who found it comes before its holder after all; it has tried before that one came.
// case: found_held_and_taken_before
// flags: -DBEFORE
// expect: all=violated:assertion at=before
//
// case: tried_while_nobody_else_was_there
// flags: -DTRIED_BEFORE
// expect: all=holds executions=2
//
// case: adopted
// flags: -DADOPTED
// expect: all=holds executions=2
//
// Two locks in each round, which are unlocked in the order in which they are locked.
// case: in_a_loop_until_it_is_told
// flags: -DPOLLS
// expect: all=holds executions=1
//
// case: in_a_loop_that_counts
// flags: -DCOUNTS
// expect: all=holds executions=1
//
// case: one_is_left_out
// flags: -DLEFT_OUT
// expect: all=violated:data-race
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

std::mutex a, b;
int used = 0;
std::atomic<int> told{0};

void first() {
  std::scoped_lock both(a, b);
  ++used;
}

void second() {
  std::scoped_lock both(b, a);
  ++used;
}

int main() {
#if defined(PHILOSOPHERS)
  static std::mutex forks[PHILOSOPHERS];
  static int meals[PHILOSOPHERS];
  std::thread all[PHILOSOPHERS];
  for (int i = 0; i < PHILOSOPHERS; ++i) {
    all[i] = std::thread([i] {
      std::scoped_lock both(forks[i], forks[(i + 1) % PHILOSOPHERS]);
      ++meals[i];
    });
  }
  for (std::thread& one : all) one.join();
#elif defined(IDENTICAL)
  std::thread one(first), two(first), three(first);
  one.join();
  two.join();
  three.join();
#elif defined(NEVER)
  std::thread one([] {
    std::scoped_lock both(a, b);
    told = 1;
  });
  {
    std::lock_guard in(b);
    while (told == 0) {
    }
  }
  one.join();
#elif defined(FREE)
  std::thread one(first);
  b.lock();
  std::thread two([] {
    { std::lock_guard in(a); }
    told = 1;
  });
  while (told == 0) {
  }
  b.unlock();
  one.join();
  two.join();
#elif defined(TWICE)
  std::thread one(first);
  TWICE.lock();
  std::lock(a, b);
  one.join();
#elif defined(SAME)
  std::thread one(first);
  std::scoped_lock both(b, b);
  one.join();
#elif defined(TRIED)
  std::thread one(first), two(second);
  int failed = 0;
  for (int i = 0; i < 2; ++i) {
    if (a.try_lock()) {
      a.unlock();
    } else {
      ++failed;
    }
  }
  one.join();
  two.join();
  assert(failed < 2);  // @failed
#elif defined(IN_VAIN)
  std::thread one(first);
  b.lock();
  const bool was_free = a.try_lock();
  if (!was_free) a.lock();
  assert(was_free);  // @in_vain
  a.unlock();
  b.unlock();
  one.join();
#elif defined(BEFORE)
  std::thread one([] {
    const bool was_free = a.try_lock();
    if (was_free) a.unlock();
    std::scoped_lock both(b, a);
    assert(was_free || used != 0);  // @before
  });
  std::thread two(first);
  one.join();
  two.join();
#elif defined(TRIED_BEFORE)
  if (a.try_lock()) a.unlock();
  std::thread one(first), two(second);
  one.join();
  two.join();
#elif defined(ADOPTED)
  std::thread one(first);
  {
    std::unique_lock<std::mutex> has_a(a, std::defer_lock), has_b(b, std::defer_lock);
    std::lock(has_b, has_a);
    assert(has_a.owns_lock() && has_b.owns_lock());
    ++used;
  }
  one.join();
#elif defined(POLLS)
  std::thread one([] {
    for (;;) {
      std::scoped_lock both(a, b);
      if (used != 0) break;
    }
  });
  std::thread two(second);
  one.join();
  two.join();
#elif defined(COUNTS)
  std::thread one([] {
    for (;;) {
      std::scoped_lock both(a, b);
      if (++used == 3) break;
    }
  });
  one.join();
#elif defined(LEFT_OUT)
  std::thread one(first);
  std::thread two([] {
    std::lock_guard in(a);
    used = 0;
  });
  {
    std::lock_guard in(b);
    used = 0;
  }
  one.join();
  two.join();
#else
  std::thread one(first), two(second), three([] {
    std::lock(b, a);
    ++used;
    a.unlock();
    b.unlock();
  });
  one.join();
  two.join();
  three.join();
  assert(used == 3);
#endif
}
