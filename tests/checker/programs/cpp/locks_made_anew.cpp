// SPDX-License-Identifier: MIT
// Where there is C++ an object may take the place of another one: the life of a lock ends when its
// storage is used again, destructor or not (C++20 [basic.life]/5), and what a constructor makes is
// new. So a mutex may be made over a free one. Over a held one it may not ("undefined if it
// destroys a mutex object owned by any thread", [thread.mutex.class]); and no lock can be copied.
//
// case: over_a_free_one
// flags: -DDO="lock(mutex);new(&mutex)std::mutex;lock(mutex)"
// expect: all=holds executions=1
//
// case: over_a_held_one
// flags: -DDO="mutex.lock();new(&mutex)std::mutex;mutex.unlock()"
// expect: all=violated:memory says="overwritten while main held it"
//
// case: over_a_held_shared_mutex
// flags: -DDO="shared.lock_shared();new(&shared)std::shared_mutex;shared.unlock_shared()"
// expect: all=violated:memory says="overwritten while main held it"
//
// case: a_class_that_destroys_nothing_made_anew
// flags: -DDO="place.emplace();place.emplace();lock(*place)"
// expect: all=holds executions=1
//
// case: bytes_of_a_mutex
// flags: -DDO="lock(mutex);lock(copy(mutex))"
// expect: all=violated:memory says="a copy of another one"
//
// case: bytes_of_a_shared_mutex
// flags: -DDO="lock(shared);lock(copy(shared))"
// expect: all=violated:memory says="a copy of another one"
//
// case: bytes_of_a_condition_variable
// flags: -DDO="changed.notify_one();copy(changed).notify_one()"
// expect: all=violated:memory says="a copy of another one"
//
// case: bytes_of_a_barrier
// flags: -DDO="copy(barrier).arrive_and_wait()"
// expect: all=violated:memory says="a copy of another one"
#include <pthread.h>

#include <barrier>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <new>
#include <optional>
#include <shared_mutex>

// It leaks nothing with glibc.
class simple_mutex {
 public:
  simple_mutex() { pthread_mutex_init(&mutex_, nullptr); }
  void lock() { pthread_mutex_lock(&mutex_); }
  void unlock() { pthread_mutex_unlock(&mutex_); }

 private:
  pthread_mutex_t mutex_;
};

static std::mutex mutex;
static std::shared_mutex shared;
static std::condition_variable changed;
static std::barrier<> barrier(1);
static std::optional<simple_mutex> place;

template <typename T>
[[maybe_unused]] static void lock(T& lock) {
  lock.lock();
  lock.unlock();
}

template <typename T>
[[maybe_unused]] static T& copy(T& lock) {
  static char bytes[sizeof lock] __attribute__((aligned(16)));
  std::memcpy(bytes, static_cast<void*>(&lock), sizeof lock);
  return *std::launder(reinterpret_cast<T*>(bytes));
}

int main() { DO; }
