// SPDX-License-Identifier: MIT
//
// pthread_cancel() of a thread that waits: no wait here is a cancellation point.
#include <pthread.h>

#include <chrono>
#include <mutex>

#include "mutexes.hpp"
#include "run.hpp"

namespace {

template <class mutex>
class a_cancelled_thread : public testing::Test {};
TYPED_TEST_SUITE(a_cancelled_thread, real::mutexes);

template <class mutex>
struct scene {
  mutex lock;
  bool is_timed = false;
  std::atomic<pid_t> waiter{0};
  std::atomic<bool> got_in{false};
  std::atomic<bool> went_on{false};
};

template <class mutex>
void* wait_and_die(void* told) {
  auto& its = *static_cast<scene<mutex>*>(told);
  its.waiter.store(gettid());
  if (!its.is_timed) {
    its.lock.lock();
  } else if (!its.lock.try_lock_for(std::chrono::hours(1))) {
    return nullptr;
  }
  its.got_in.store(true);
  its.lock.unlock();
  pthread_testcancel();
  its.went_on.store(true);
  return nullptr;
}

template <class mutex>
void cancel_a_waiter(bool is_timed) {
  const real::failure_bound bound;
  scene<mutex> here;
  here.is_timed = is_timed;
  here.lock.lock();
  pthread_t waiter{};
  ASSERT_EQ(pthread_create(&waiter, nullptr, wait_and_die<mutex>, &here), 0);
  while (here.waiter.load() == 0) std::this_thread::yield();
  const real::watched seen(here.waiter.load());
  if constexpr (real::puts_to_sleep<mutex>) seen.until_asleep();
  ASSERT_EQ(pthread_cancel(waiter), 0);
  EXPECT_FALSE(here.got_in.load());
  here.lock.unlock();
  void* end = nullptr;
  ASSERT_EQ(pthread_join(waiter, &end), 0);
  EXPECT_TRUE(here.got_in.load());
  EXPECT_FALSE(here.went_on.load());
  EXPECT_EQ(end, PTHREAD_CANCELED);
  EXPECT_TRUE(here.lock.try_lock());
  here.lock.unlock();
}

TYPED_TEST(a_cancelled_thread,
           gets_the_mutex_it_waits_for_and_ends_at_its_next_cancellation_point) {
  cancel_a_waiter<TypeParam>(false);
}

TYPED_TEST(a_cancelled_thread, that_waits_for_a_limited_time_does_so_too) {
  cancel_a_waiter<TypeParam>(true);
}

}  // namespace
