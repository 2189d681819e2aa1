// SPDX-License-Identifier: MIT
// Static objects are destroyed while detached threads go on.
//
// case: used_after_its_lifetime
// expect: all=violated:memory at=use says="destroyed"
//
// case: an_atomic_member_of_a_local_static
// flags: -DATOMIC -DLOCAL
// options: --cc clang-14
// expect: all=violated:memory says="destroyed"
//
// case: the_destructor_waits_for_a_handshake
// flags: -DHANDSHAKE
// expect: all=holds
//
// case: of_the_thread_that_ends_the_process_first
// flags: -DTHREAD_LOCAL
// expect: all=holds executions=1
//
// case: main_leaves_by_pthread_exit
// flags: -DLEAVE
// expect: all=holds
#include <assert.h>
#include <pthread.h>

#ifdef ATOMIC
#define READ(level) __atomic_load_n(&(level), __ATOMIC_RELAXED)
#else
#define READ(level) level
#endif

static bool done;

struct settings {
  settings() {}
  ~settings() {
#ifdef HANDSHAKE
    while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE)) {
    }
#endif
  }
  int level = 1;
};

#ifdef LOCAL
static settings& all() {
  static settings s;
  return s;
}
#else
static settings s;
static settings& all() { return s; }
#endif

#ifdef THREAD_LOCAL
static int order = 0;
struct in_thread {
  int uses = 0;
  in_thread() {}
  ~in_thread() {
    assert(order == 0 && uses == 1);
    order = 1;
  }
};
static thread_local in_thread mine;
struct in_process {
  ~in_process() { assert(order == 1); }
};
static in_process last;
static in_thread* const early = &mine;  // constructed before main
#endif

static void* use(void* nothing) {
  assert(READ(all().level) == 1);  // @use
  __atomic_store_n(&done, true, __ATOMIC_RELEASE);
  return nothing;
}

int main() {
  all();
#ifdef THREAD_LOCAL
  assert(early != nullptr);
  mine.uses++;
#else
  pthread_t user;
  pthread_create(&user, nullptr, use, nullptr);
  pthread_detach(user);
#ifdef LEAVE
  pthread_exit(nullptr);
#endif
#endif
}
