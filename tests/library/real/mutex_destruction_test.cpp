// SPDX-License-Identifier: MIT
//
// A mutex that is gone as soon as its last user has unlocked it: an unlock() that touches it after
// it has let somebody in touches what is not there any more.
#include <sched.h>
#include <sys/mman.h>

#include <memory>
#include <mutex>

#include "mutexes.hpp"
#include "run.hpp"

namespace {

template <class mutex>
class a_mutex_that_its_last_user_destroys : public testing::Test {};
TYPED_TEST_SUITE(a_mutex_that_its_last_user_destroys, real::mutexes_to_destroy);

template <class mutex>
struct counted {
  mutex lock;
  unsigned users;
};

/// Threads that meet before each round and use the round's object; the last destroys it.
template <class object, class destroy>
void use_up(std::vector<object*>& objects, unsigned threads, destroy gone) {
  std::atomic<unsigned long> arrived{0};
  real::together(threads, [&](unsigned n) {
    for (unsigned long round = 0; round != objects.size(); ++round) {
      arrived.fetch_add(1, std::memory_order_relaxed);
      while (arrived.load(std::memory_order_relaxed) < threads * (round + 1)) sched_yield();
      object& its = *objects[round];
      its.lock.lock();
      const bool is_last = --its.users == 0;
      if ((round + n) % 4 == 0) sched_yield();
      its.lock.unlock();
      if (is_last) gone(&its);
    }
  });
}

TYPED_TEST(a_mutex_that_its_last_user_destroys, is_not_touched_once_its_memory_is_unmapped) {
  using object = counted<TypeParam>;
  const real::failure_bound bound;
  const unsigned threads = 4;
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const auto count = static_cast<std::size_t>(real::rounds(4000));
  std::vector<object*> objects;
  for (std::size_t n = 0; n != count; ++n) {
    void* const memory =
        mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(memory, MAP_FAILED);
    objects.push_back(new (memory) object{{}, threads});
  }
  use_up(objects, threads, [&](object* it) {
    std::destroy_at(it);
    munmap(it, page);
  });
}

TYPED_TEST(a_mutex_that_its_last_user_destroys, is_not_touched_once_its_memory_is_freed) {
  using object = counted<TypeParam>;
  const real::failure_bound bound;
  const unsigned threads = 4;
  std::vector<object*> objects;
  for (long n = 0; n != real::rounds(4000); ++n) objects.push_back(new object{{}, threads});
  use_up(objects, threads, [](object* it) { delete it; });
}

}  // namespace
