/* SPDX-License-Identifier: MIT
 *
 * The C library, from a program in C11, on real threads and processes. Run with the name of a test,
 * or without one for all of them. Time decides nothing: a thread that has to wait is waited for,
 * and what must time out may take as long as it likes, but not less than it was told to. */
#define _GNU_SOURCE
#include <errno.h>
#include <fencepost/fencepost.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static void failed(const char* file, int line, const char* what) {
  fprintf(stderr, "%s:%d: %s\n", file, line, what);
  exit(1);
}
/* The address sanitizer stops programs that ask for too much memory; this one wants to be told. */
const char* __asan_default_options(void);
const char* __asan_default_options(void) { return "allocator_may_return_null=1"; }
const char* __tsan_default_options(void);
const char* __tsan_default_options(void) { return "allocator_may_return_null=1"; }

#define CHECK(condition) ((condition) ? (void)0 : failed(__FILE__, __LINE__, #condition))

static pthread_t start(void* (*body)(void*), void* argument) {
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, body, argument) == 0);
  return thread;
}

static void finish(pthread_t thread) { CHECK(pthread_join(thread, NULL) == 0); }

static const struct timespec no_time = {0, 1000000000};
static const struct timespec negative = {-5, 0};
static const struct timespec a_while = {0, 3000000};
static const struct timespec ages = {INT64_MAX, 999999999};

static int64_t nanoseconds(struct timespec time) {
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static struct timespec now(void) {
  struct timespec time;
  CHECK(clock_gettime(CLOCK_MONOTONIC, &time) == 0);
  return time;
}

static struct timespec soon(void) {
  struct timespec time = now();
  time.tv_nsec += 3000000;
  if (time.tv_nsec >= 1000000000) {
    time.tv_nsec -= 1000000000;
    ++time.tv_sec;
  }
  return time;
}

/* ---- locks: each kind through the same tests ---- */

struct lock {
  const char* name;
  void* object;
  void (*lock)(void*);
  void (*unlock)(void*);
  int (*try_lock)(void*);
  int (*lock_until)(void*, const struct timespec*);
  int (*lock_for)(void*, const struct timespec*);
  int (*destroy)(void*);
};

#define FUNCTIONS(kind)                                                          \
  static void kind##_lock(void* m) { fencepost_##kind##_lock(m); }               \
  static void kind##_unlock(void* m) { fencepost_##kind##_unlock(m); }           \
  static int kind##_try_lock(void* m) { return fencepost_##kind##_try_lock(m); } \
  static int kind##_lock_until(void* m, const struct timespec* deadline) {       \
    return fencepost_##kind##_lock_until(m, deadline);                           \
  }                                                                              \
  static int kind##_lock_for(void* m, const struct timespec* timeout) {          \
    return fencepost_##kind##_lock_for(m, timeout);                              \
  }                                                                              \
  static int kind##_destroy(void* m) { return fencepost_##kind##_destroy(m); }

FUNCTIONS(mutex)
FUNCTIONS(futex_mutex)
FUNCTIONS(event_mutex)
FUNCTIONS(spin_mutex)

#define LOCK(kind, object)                                                            \
  {                                                                                   \
#object, &object, kind##_lock, kind##_unlock, kind##_try_lock, kind##_lock_until, \
        kind##_lock_for, kind##_destroy                                               \
  }

static fencepost_mutex mutex = FENCEPOST_MUTEX_INIT(0);
static fencepost_mutex mutex_zero;
static fencepost_mutex mutex_shared = FENCEPOST_MUTEX_INIT(FENCEPOST_INTERPROCESS);
static fencepost_futex_mutex futex_mutex = FENCEPOST_FUTEX_MUTEX_INIT(0);
static fencepost_futex_mutex futex_mutex_shared =
    FENCEPOST_FUTEX_MUTEX_INIT(FENCEPOST_INTERPROCESS);
static fencepost_event_mutex event_mutex = FENCEPOST_EVENT_MUTEX_INIT(FENCEPOST_ASYMMETRIC);
static fencepost_event_mutex event_mutex_exchange = FENCEPOST_EVENT_MUTEX_INIT(FENCEPOST_EXCHANGE);
static fencepost_event_mutex event_mutex_seq_cst = FENCEPOST_EVENT_MUTEX_INIT(FENCEPOST_SEQ_CST);
static fencepost_event_mutex event_mutex_shared =
    FENCEPOST_EVENT_MUTEX_INIT(FENCEPOST_ASYMMETRIC | FENCEPOST_INTERPROCESS);
static fencepost_event_mutex event_mutex_exchange_shared =
    FENCEPOST_EVENT_MUTEX_INIT(FENCEPOST_EXCHANGE | FENCEPOST_INTERPROCESS);
static fencepost_event_mutex event_mutex_seq_cst_shared =
    FENCEPOST_EVENT_MUTEX_INIT(FENCEPOST_SEQ_CST | FENCEPOST_INTERPROCESS);
static fencepost_spin_mutex spin_mutex = FENCEPOST_SPIN_MUTEX_INIT;

static const struct lock locks[] = {
    LOCK(mutex, mutex),
    LOCK(mutex, mutex_zero),
    LOCK(mutex, mutex_shared),
    LOCK(futex_mutex, futex_mutex),
    LOCK(futex_mutex, futex_mutex_shared),
    LOCK(event_mutex, event_mutex),
    LOCK(event_mutex, event_mutex_exchange),
    LOCK(event_mutex, event_mutex_seq_cst),
    LOCK(event_mutex, event_mutex_shared),
    LOCK(event_mutex, event_mutex_exchange_shared),
    LOCK(event_mutex, event_mutex_seq_cst_shared),
    LOCK(spin_mutex, spin_mutex),
};
enum { lock_kinds = sizeof locks / sizeof locks[0] };

struct counter {
  const struct lock* lock;
  long count;
  int inside;
};

enum { rounds = 20000 };

static void* count_up(void* argument) {
  struct counter* counter = argument;
  const struct lock* lock = counter->lock;
  for (int n = 0; n < rounds; ++n) {
    switch (n % 4) {
      case 0:
        while (lock->try_lock(lock->object) != 0) sched_yield();
        break;
      case 1:
        while (lock->lock_for(lock->object, &a_while) != 0) continue;
        break;
      case 2:
        CHECK(lock->lock_for(lock->object, &ages) == 0);
        break;
      default:
        lock->lock(lock->object);
    }
    CHECK(counter->inside++ == 0);
    ++counter->count;
    CHECK(--counter->inside == 0);
    lock->unlock(lock->object);
  }
  return NULL;
}

static void one_thread_at_a_time_holds_a_lock(void) {
  for (int kind = 0; kind < lock_kinds; ++kind) {
    struct counter counter = {&locks[kind], 0, 0};
    pthread_t threads[4];
    for (int n = 0; n < 4; ++n) threads[n] = start(count_up, &counter);
    for (int n = 0; n < 4; ++n) finish(threads[n]);
    CHECK(counter.count == 4L * rounds);
  }
}

static void* cannot_have_it(void* argument) {
  const struct lock* lock = argument;
  errno = 4711;
  CHECK(lock->try_lock(lock->object) == EBUSY);
  CHECK(lock->destroy(lock->object) == EBUSY);
  const struct timespec before = now();
  CHECK(lock->lock_for(lock->object, &a_while) == ETIMEDOUT);
  CHECK(nanoseconds(now()) - nanoseconds(before) >= nanoseconds(a_while));
  const struct timespec deadline = soon();
  CHECK(lock->lock_until(lock->object, &deadline) == ETIMEDOUT);
  CHECK(nanoseconds(now()) >= nanoseconds(deadline));
  CHECK(lock->lock_for(lock->object, &negative) == ETIMEDOUT);
  CHECK(lock->lock_until(lock->object, &negative) == ETIMEDOUT);
  CHECK(lock->lock_until(lock->object, &before) == ETIMEDOUT);
  CHECK(lock->lock_for(lock->object, &no_time) == EINVAL);
  CHECK(lock->lock_until(lock->object, &no_time) == EINVAL);
  CHECK(errno == 4711);
  return NULL;
}

static void a_lock_that_is_held_says_so(void) {
  for (int kind = 0; kind < lock_kinds; ++kind) {
    const struct lock* lock = &locks[kind];
    CHECK(lock->try_lock(lock->object) == 0);
    finish(start(cannot_have_it, (void*)lock));
    lock->unlock(lock->object);
    /* A free lock is had at once, however little time there is. */
    CHECK(lock->lock_for(lock->object, &negative) == 0);
    lock->unlock(lock->object);
    CHECK(lock->lock_until(lock->object, &no_time) == EINVAL);
    CHECK(lock->destroy(lock->object) == 0);
  }
}

static void flags_that_nobody_knows_are_refused(void) {
  fencepost_mutex a;
  CHECK(fencepost_mutex_init(&a, 2) == EINVAL);
  CHECK(fencepost_mutex_init(&a, FENCEPOST_INTERPROCESS) == 0);
  fencepost_futex_mutex b;
  CHECK(fencepost_futex_mutex_init(&b, 8) == EINVAL);
  CHECK(fencepost_futex_mutex_init(&b, 0) == 0);
  fencepost_event_mutex c;
  CHECK(fencepost_event_mutex_init(&c, FENCEPOST_EXCHANGE | FENCEPOST_SEQ_CST) == EINVAL);
  CHECK(fencepost_event_mutex_init(&c, 8) == EINVAL);
  CHECK(fencepost_event_mutex_init(&c, FENCEPOST_SEQ_CST) == 0);
  fencepost_event_count d;
  CHECK(fencepost_event_count_init(&d, FENCEPOST_ONE_PRODUCER | FENCEPOST_TWO_WORDS) == EINVAL);
  CHECK(fencepost_event_count_init(&d, 8) == EINVAL);
  fencepost_spsc_ring e;
  CHECK(fencepost_spsc_ring_init(&e, 4, 4, NULL, 0, 2) == EINVAL);
  CHECK(fencepost_spsc_ring_init(&e, 4, 4, NULL, 0, FENCEPOST_INTERPROCESS) == EINVAL);
}

/* ---- event counts ---- */

static const unsigned count_flags[] = {
    0,
    FENCEPOST_ONE_PRODUCER,
    FENCEPOST_TWO_WORDS,
    FENCEPOST_INTERPROCESS,
    FENCEPOST_INTERPROCESS | FENCEPOST_ONE_PRODUCER,
    FENCEPOST_INTERPROCESS | FENCEPOST_TWO_WORDS,
};
enum { kinds_of_count = sizeof count_flags / sizeof count_flags[0], events = 20000 };

/* Written before each increment, plainly read after it was seen: in turns by the two sides. */
#define COUNT_TESTS(name, word)                                                              \
  struct name##_exchange {                                                                   \
    fencepost_##name there;                                                                  \
    fencepost_##name back;                                                                   \
    long letter;                                                                             \
  };                                                                                         \
  static void* name##_answer(void* argument) {                                               \
    struct name##_exchange* e = argument;                                                    \
    for (word n = 0; n < events; ++n) {                                                      \
      CHECK(fencepost_##name##_wait(&e->there, n) == n + 1);                                 \
      CHECK(e->letter == (long)n + 1);                                                       \
      e->letter = -e->letter;                                                                \
      fencepost_##name##_increment(&e->back);                                                \
    }                                                                                        \
    return NULL;                                                                             \
  }                                                                                          \
  static void name##_carries_letters(void) {                                                 \
    for (int kind = 0; kind < kinds_of_count; ++kind) {                                      \
      struct name##_exchange e;                                                              \
      CHECK(fencepost_##name##_init(&e.there, count_flags[kind]) == 0);                      \
      CHECK(fencepost_##name##_init(&e.back, count_flags[kind]) == 0);                       \
      pthread_t other = start(name##_answer, &e);                                            \
      for (word n = 0; n < events; ++n) {                                                    \
        e.letter = (long)n + 1;                                                              \
        fencepost_##name##_increment(&e.there);                                              \
        if (n % 2 == 0) {                                                                    \
          while (fencepost_##name##_wait_for(&e.back, n, &a_while) != 0) continue;           \
        } else {                                                                             \
          CHECK(fencepost_##name##_wait_until(&e.back, n, NULL) == 0);                       \
        }                                                                                    \
        CHECK(e.letter == -(long)n - 1);                                                     \
      }                                                                                      \
      finish(other);                                                                         \
      CHECK(fencepost_##name##_value(&e.there) == events);                                   \
      fencepost_##name##_destroy(&e.there);                                                  \
      fencepost_##name##_destroy(&e.back);                                                   \
    }                                                                                        \
  }                                                                                          \
  static bool name##_never(void* asked) {                                                    \
    ++*(int*)asked;                                                                          \
    return false;                                                                            \
  }                                                                                          \
  static bool name##_third_time(void* asked) { return ++*(int*)asked == 3; }                 \
  struct name##_stream {                                                                     \
    fencepost_##name* count;                                                                 \
    atomic_bool enough;                                                                      \
  };                                                                                         \
  static void* name##_go_on(void* argument) {                                                \
    struct name##_stream* stream = argument;                                                 \
    while (!stream->enough) {                                                                \
      fencepost_##name##_increment(stream->count);                                           \
      sched_yield();                                                                         \
    }                                                                                        \
    return NULL;                                                                             \
  }                                                                                          \
  static void name##_runs_out_of_time(void) {                                                \
    for (int kind = 0; kind < kinds_of_count; ++kind) {                                      \
      fencepost_##name count;                                                                \
      CHECK(fencepost_##name##_init(&count, count_flags[kind]) == 0);                        \
      errno = 4711;                                                                          \
      CHECK(!fencepost_##name##_has_waiters(&count));                                        \
      const struct timespec before = now();                                                  \
      CHECK(fencepost_##name##_wait_for(&count, 0, &a_while) == ETIMEDOUT);                  \
      CHECK(nanoseconds(now()) - nanoseconds(before) >= nanoseconds(a_while));               \
      const struct timespec deadline = soon();                                               \
      CHECK(fencepost_##name##_wait_until(&count, 0, &deadline) == ETIMEDOUT);               \
      CHECK(nanoseconds(now()) >= nanoseconds(deadline));                                    \
      CHECK(fencepost_##name##_wait_until(&count, 0, &negative) == ETIMEDOUT);               \
      CHECK(fencepost_##name##_wait_for(&count, 0, &no_time) == EINVAL);                     \
      CHECK(fencepost_##name##_wait_until(&count, 1, &negative) == 0);                       \
      int asked = 0;                                                                         \
      CHECK(fencepost_##name##_await(&count, name##_never, &asked, &no_time) == EINVAL);     \
      CHECK(asked == 0);                                                                     \
      CHECK(fencepost_##name##_await(&count, name##_never, &asked, &negative) == ETIMEDOUT); \
      CHECK(asked > 0);                                                                      \
      CHECK(fencepost_##name##_add(&count, 0) == 0);                                         \
      CHECK(fencepost_##name##_add(&count, 41) == 0);                                        \
      CHECK(fencepost_##name##_value(&count) == 41);                                         \
      CHECK(fencepost_##name##_wait(&count, 0) == 41);                                       \
      asked = 0;                                                                             \
      struct name##_stream stream = {&count, false};                                         \
      pthread_t other = start(name##_go_on, &stream);                                        \
      CHECK(fencepost_##name##_await(&count, name##_third_time, &asked, NULL) == 0);         \
      stream.enough = true;                                                                  \
      CHECK(asked == 3);                                                                     \
      finish(other);                                                                         \
      const enum fencepost_certainty sure = fencepost_##name##_certainty(&count);            \
      CHECK((count_flags[kind] & ~FENCEPOST_INTERPROCESS) != 0 ||                            \
            sure == FENCEPOST_CERTAIN_BY_ORDER);                                             \
      CHECK(sure == FENCEPOST_CERTAIN_BY_ORDER || sure == FENCEPOST_CERTAIN_BY_BARRIER ||    \
            sure == FENCEPOST_CERTAIN_BY_TIME);                                              \
      CHECK(errno == 4711);                                                                  \
      fencepost_##name##_destroy(&count);                                                    \
    }                                                                                        \
  }

COUNT_TESTS(event_count, uint32_t)
COUNT_TESTS(event_count64, uint64_t)

/* ---- rings ---- */

/* Of a size that is no power of two, and more than a word. */
struct parcel {
  uint32_t producer;
  uint32_t number;
  unsigned char check[5];
};

static struct parcel parcel_of(uint32_t producer, uint32_t number) {
  struct parcel parcel;
  memset(&parcel, 0, sizeof parcel);
  parcel.producer = producer;
  parcel.number = number;
  for (int n = 0; n < 5; ++n) parcel.check[n] = (unsigned char)(producer * 31 + number + n);
  return parcel;
}

static void is_intact(const struct parcel* parcel) {
  const struct parcel wanted = parcel_of(parcel->producer, parcel->number);
  CHECK(memcmp(&wanted, parcel, sizeof wanted) == 0);
}

enum { parcels = 40000 };

static void* push_in_order(void* argument) {
  fencepost_spsc_ring* ring = argument;
  for (uint32_t n = 0; n < parcels;) {
    const struct parcel parcel = parcel_of(0, n);
    struct parcel several[3] = {parcel, parcel_of(0, n + 1), parcel_of(0, n + 2)};
    switch (n % 5) {
      case 0:
        CHECK(fencepost_spsc_ring_push(ring, &parcel) == 0);
        ++n;
        break;
      case 1: {
        const int error = fencepost_spsc_ring_try_push(ring, &parcel);
        CHECK(error == 0 || error == EAGAIN);
        if (error == EAGAIN) sched_yield();
        n += error == 0;
        break;
      }
      case 2: {
        const int error = fencepost_spsc_ring_push_for(ring, &parcel, &a_while);
        CHECK(error == 0 || error == ETIMEDOUT);
        n += error == 0;
        break;
      }
      case 3:
        CHECK(fencepost_spsc_ring_push_until(ring, &parcel, NULL) == 0);
        ++n;
        break;
      default: {
        const size_t all = parcels - n < 3 ? parcels - n : 3;
        const size_t done = fencepost_spsc_ring_try_push_n(ring, several, all);
        CHECK(done <= all);
        if (done == 0) sched_yield();
        n += (uint32_t)done;
      }
    }
  }
  fencepost_spsc_ring_close(ring);
  return NULL;
}

static void pop_in_order(fencepost_spsc_ring* ring) {
  uint32_t n = 0;
  for (;;) {
    struct parcel several[4];
    size_t done = 0;
    int error = 0;
    switch (n % 4) {
      case 0:
        error = fencepost_spsc_ring_pop(ring, several);
        break;
      case 1:
        error = fencepost_spsc_ring_try_pop(ring, several);
        break;
      case 2:
        error = fencepost_spsc_ring_pop_for(ring, several, &a_while);
        break;
      default:
        done = fencepost_spsc_ring_try_pop_n(ring, several, 4);
        if (done == 0) error = fencepost_spsc_ring_pop_until(ring, several, NULL);
    }
    if (error == EPIPE) break;
    CHECK(error == 0 || error == EAGAIN || error == ETIMEDOUT);
    if (error == EAGAIN) sched_yield();
    if (error == 0 && done == 0) done = 1;
    for (size_t m = 0; m < done; ++m) {
      is_intact(&several[m]);
      CHECK(several[m].number == n++);
    }
  }
  CHECK(n == parcels);
}

static void an_spsc_ring_keeps_the_order(void) {
  static const size_t capacities[] = {1, 3, 64};
  for (int n = 0; n < 3; ++n) {
    fencepost_spsc_ring ring;
    CHECK(fencepost_spsc_ring_init(&ring, sizeof(struct parcel), capacities[n], NULL, 0, 0) == 0);
    CHECK(fencepost_spsc_ring_capacity(&ring) == capacities[n]);
    pthread_t other = start(push_in_order, &ring);
    pop_in_order(&ring);
    finish(other);
    CHECK(fencepost_spsc_ring_closed(&ring));
    CHECK(fencepost_spsc_ring_destroy(&ring) == 0);
  }
}

struct crowd {
  fencepost_mpmc_ring ring;
  _Atomic uint32_t next_producer;
  _Atomic long popped;
  _Atomic long sum;
};

static void* push_as_one_of_many(void* argument) {
  struct crowd* crowd = argument;
  const uint32_t self = crowd->next_producer++;
  for (uint32_t n = 0; n < parcels / 4; ++n) {
    const struct parcel parcel = parcel_of(self, n);
    if (n % 2 == 0) {
      CHECK(fencepost_mpmc_ring_push(&crowd->ring, &parcel) == 0);
    } else {
      while (fencepost_mpmc_ring_push_for(&crowd->ring, &parcel, &a_while) != 0) continue;
    }
  }
  return NULL;
}

static void* pop_as_one_of_many(void* argument) {
  struct crowd* crowd = argument;
  int64_t last[2] = {-1, -1};
  for (;;) {
    struct parcel parcel;
    const int error = fencepost_mpmc_ring_pop(&crowd->ring, &parcel);
    if (error == EPIPE) return NULL;
    CHECK(error == 0);
    is_intact(&parcel);
    CHECK(parcel.producer < 2 && parcel.number > last[parcel.producer]);
    last[parcel.producer] = parcel.number;
    ++crowd->popped;
    crowd->sum += parcel.number;
  }
}

static void an_mpmc_ring_loses_nothing(void) {
  static const size_t capacities[] = {1, 3, 64};
  static const size_t rounded[] = {1, 4, 64};
  for (int n = 0; n < 3; ++n) {
    struct crowd crowd;
    crowd.next_producer = 0;
    crowd.popped = 0;
    crowd.sum = 0;
    CHECK(fencepost_mpmc_ring_init(&crowd.ring, sizeof(struct parcel), capacities[n], NULL, 0, 0) ==
          0);
    CHECK(fencepost_mpmc_ring_capacity(&crowd.ring) == rounded[n]);
    pthread_t producers[2];
    pthread_t consumers[2];
    for (int m = 0; m < 2; ++m) producers[m] = start(push_as_one_of_many, &crowd);
    for (int m = 0; m < 2; ++m) consumers[m] = start(pop_as_one_of_many, &crowd);
    for (int m = 0; m < 2; ++m) finish(producers[m]);
    fencepost_mpmc_ring_close(&crowd.ring);
    for (int m = 0; m < 2; ++m) finish(consumers[m]);
    CHECK(crowd.popped == parcels / 2);
    CHECK(crowd.sum == 2L * (parcels / 4) * (parcels / 4 - 1) / 2);
    CHECK(fencepost_mpmc_ring_destroy(&crowd.ring) == 0);
  }
}

struct sleeper {
  void* ring;
  _Atomic pid_t thread;
};

/* Returns once the kernel says that the thread sleeps. */
static void wait_until_it_sleeps(struct sleeper* sleeper) {
  while (sleeper->thread == 0) sched_yield();
  char name[64];
  snprintf(name, sizeof name, "/proc/self/task/%d/stat", (int)sleeper->thread);
  for (char state = 0; state != 'S';) {
    sched_yield();
    FILE* file = fopen(name, "r");
    CHECK(file != NULL);
    CHECK(fscanf(file, "%*d (%*[^)]) %c", &state) == 1);
    fclose(file);
  }
}

#define EDGE_TESTS(name)                                                                      \
  static void* name##_waits_for_the_end(void* argument) {                                     \
    struct sleeper* self = argument;                                                          \
    int element;                                                                              \
    self->thread = gettid();                                                                  \
    CHECK(fencepost_##name##_pop(self->ring, &element) == EPIPE);                             \
    return NULL;                                                                              \
  }                                                                                           \
  static void name##_says_full_empty_closed(void) {                                           \
    fencepost_##name ring;                                                                    \
    _Alignas(max_align_t) unsigned char memory[256];                                          \
    const size_t need = fencepost_##name##_memory(sizeof(int), 4);                            \
    CHECK(need >= 4 * sizeof(int) && need <= sizeof memory - 1);                              \
    CHECK(fencepost_##name##_memory(0, 4) == 0);                                              \
    CHECK(fencepost_##name##_memory(4, 0) == 0);                                              \
    CHECK(fencepost_##name##_memory(4, SIZE_MAX) == 0);                                       \
    CHECK(fencepost_##name##_memory(SIZE_MAX, 4) == 0);                                       \
    CHECK(fencepost_##name##_memory(SIZE_MAX / 8, 1024) == 0);                                \
    CHECK(fencepost_##name##_init(&ring, 0, 4, NULL, 0, 0) == EINVAL);                        \
    CHECK(fencepost_##name##_init(&ring, 4, 0, NULL, 0, 0) == EINVAL);                        \
    CHECK(fencepost_##name##_init(&ring, 4, 4, memory, need - 1, 0) == EINVAL);               \
    CHECK(fencepost_##name##_init(&ring, 4, 4, memory + 1, need, 0) == EINVAL);               \
    CHECK(fencepost_##name##_init(&ring, SIZE_MAX / 64, 16, NULL, 0, 0) == ENOMEM);           \
    memset(memory, 0xa5, sizeof memory);                                                      \
    CHECK(fencepost_##name##_init(&ring, sizeof(int), 4, memory, need, 0) == 0);              \
    errno = 4711;                                                                             \
    int element = -1;                                                                         \
    CHECK(fencepost_##name##_try_pop(&ring, &element) == EAGAIN);                             \
    CHECK(fencepost_##name##_pop_for(&ring, &element, &a_while) == ETIMEDOUT);                \
    CHECK(fencepost_##name##_pop_until(&ring, &element, &negative) == ETIMEDOUT);             \
    CHECK(fencepost_##name##_pop_for(&ring, &element, &no_time) == EINVAL);                   \
    CHECK(element == -1);                                                                     \
    for (int n = 0; n < 4; ++n) CHECK(fencepost_##name##_try_push(&ring, &n) == 0);           \
    CHECK(fencepost_##name##_size(&ring) == 4);                                               \
    CHECK(fencepost_##name##_try_push(&ring, &element) == EAGAIN);                            \
    CHECK(fencepost_##name##_push_for(&ring, &element, &a_while) == ETIMEDOUT);               \
    const struct timespec deadline = soon();                                                  \
    CHECK(fencepost_##name##_push_until(&ring, &element, &deadline) == ETIMEDOUT);            \
    CHECK(nanoseconds(now()) >= nanoseconds(deadline));                                       \
    CHECK(fencepost_##name##_push_until(&ring, &element, &no_time) == EINVAL);                \
    CHECK(!fencepost_##name##_closed(&ring));                                                 \
    fencepost_##name##_close(&ring);                                                          \
    CHECK(fencepost_##name##_closed(&ring));                                                  \
    CHECK(fencepost_##name##_push(&ring, &element) == EPIPE);                                 \
    CHECK(fencepost_##name##_try_push(&ring, &element) == EPIPE);                             \
    for (int n = 0; n < 4; ++n) {                                                             \
      CHECK(fencepost_##name##_pop(&ring, &element) == 0);                                    \
      CHECK(element == n);                                                                    \
    }                                                                                         \
    CHECK(fencepost_##name##_pop(&ring, &element) == EPIPE);                                  \
    CHECK(fencepost_##name##_try_pop(&ring, &element) == EPIPE);                              \
    CHECK(fencepost_##name##_pop_for(&ring, &element, &a_while) == EPIPE);                    \
    CHECK(errno == 4711);                                                                     \
    CHECK(fencepost_##name##_destroy(&ring) == 0);                                            \
    for (size_t n = need; n < sizeof memory; ++n) CHECK(memory[n] == 0xa5);                   \
    /* Who waits when it is closed is told, and a ring that is waited in is not destroyed. */ \
    CHECK(fencepost_##name##_init(&ring, sizeof(int), 4, NULL, 0, 0) == 0);                   \
    struct sleeper sleeper = {&ring, 0};                                                      \
    pthread_t other = start(name##_waits_for_the_end, &sleeper);                              \
    wait_until_it_sleeps(&sleeper);                                                           \
    CHECK(fencepost_##name##_destroy(&ring) == EBUSY);                                        \
    fencepost_##name##_close(&ring);                                                          \
    finish(other);                                                                            \
    CHECK(fencepost_##name##_destroy(&ring) == 0);                                            \
  }

EDGE_TESTS(spsc_ring)
EDGE_TESTS(mpmc_ring)

/* ---- condition variable ---- */

struct ball {
  fencepost_mutex mutex;
  fencepost_condition changed;
  int side;
  int hits;
};

enum { hits = 20000 };

static void play(struct ball* ball, int self) {
  fencepost_mutex_lock(&ball->mutex);
  for (;;) {
    while (ball->side != self) {
      if (ball->hits % 3 == 0) {
        const int error = fencepost_condition_wait_for(&ball->changed, &ball->mutex, &a_while);
        CHECK(error == 0 || error == ETIMEDOUT);
      } else if (ball->hits % 3 == 1) {
        CHECK(fencepost_condition_wait_until(&ball->changed, &ball->mutex, NULL) == 0);
      } else {
        fencepost_condition_wait(&ball->changed, &ball->mutex);
      }
    }
    if (ball->hits == hits) break;
    ++ball->hits;
    ball->side = 1 - self;
    if (ball->hits % 2 == 0) {
      fencepost_condition_notify_one(&ball->changed);
    } else {
      fencepost_condition_notify_all(&ball->changed);
    }
  }
  ball->side = 1 - self;
  fencepost_condition_notify_all(&ball->changed);
  fencepost_mutex_unlock(&ball->mutex);
}

static void* play_the_other_side(void* ball) {
  play(ball, 1);
  return NULL;
}

static void a_condition_is_waited_for_in_turns(void) {
  for (unsigned flags = 0; flags <= FENCEPOST_INTERPROCESS; ++flags) {
    struct ball ball = {FENCEPOST_MUTEX_INIT(0), FENCEPOST_CONDITION_INIT(0), 0, 0};
    CHECK(fencepost_mutex_init(&ball.mutex, flags) == 0);
    CHECK(fencepost_condition_init(&ball.changed, flags) == 0);
    CHECK(fencepost_condition_init(&ball.changed, 8) == EINVAL);
    pthread_t other = start(play_the_other_side, &ball);
    play(&ball, 0);
    finish(other);
    CHECK(ball.hits == hits);
    fencepost_mutex_lock(&ball.mutex);
    CHECK(fencepost_condition_wait_for(&ball.changed, &ball.mutex, &no_time) == EINVAL);
    const struct timespec before = now();
    int error = 0;
    do { /* it may return for no reason */
      error = fencepost_condition_wait_for(&ball.changed, &ball.mutex, &a_while);
    } while (error == 0);
    CHECK(error == ETIMEDOUT);
    CHECK(nanoseconds(now()) - nanoseconds(before) >= nanoseconds(a_while));
    CHECK(fencepost_mutex_try_lock(&ball.mutex) == EBUSY);
    fencepost_mutex_unlock(&ball.mutex);
    fencepost_condition_destroy(&ball.changed);
    CHECK(fencepost_mutex_destroy(&ball.mutex) == 0);
  }
}

/* ---- fences ---- */

static struct {
  _Atomic int light_side;
  _Atomic int heavy_side;
  _Atomic int round[2];
  int saw[2];
} fences;

enum { fence_rounds = 3000 };

static void meet(int self, int round) {
  fences.round[self] = round;
  while (fences.round[1 - self] < round) sched_yield();
}

static void* light_side(void* unused) {
  for (int n = 1; n <= fence_rounds; ++n) {
    meet(0, 2 * n);
    atomic_store_explicit(&fences.light_side, n, memory_order_relaxed);
    fencepost_fence_light();
    fences.saw[0] = atomic_load_explicit(&fences.heavy_side, memory_order_relaxed);
    meet(0, 2 * n + 1);
  }
  return unused;
}

static void a_light_and_a_heavy_fence_do_not_both_miss(void) {
  const enum fencepost_strategy strategy = fencepost_fence_strategy();
  CHECK(strategy == FENCEPOST_FENCE_MEMBARRIER || strategy == FENCEPOST_FENCE_FULL_FENCES);
  const enum fencepost_strategy between = fencepost_interprocess_strategy();
  CHECK(between == FENCEPOST_FENCE_MEMBARRIER || between == FENCEPOST_FENCE_FULL_FENCES);
  pthread_t other = start(light_side, NULL);
  for (int n = 1; n <= fence_rounds; ++n) {
    meet(1, 2 * n);
    atomic_store_explicit(&fences.heavy_side, n, memory_order_relaxed);
    fencepost_fence_heavy();
    fences.saw[1] = atomic_load_explicit(&fences.light_side, memory_order_relaxed);
    meet(1, 2 * n + 1);
    CHECK(fences.saw[0] == n || fences.saw[1] == n);
  }
  finish(other);
}

/* ---- between processes ---- */

struct between {
  fencepost_mutex mutex;
  fencepost_futex_mutex futex_mutex;
  fencepost_event_mutex event_mutex[3];
  fencepost_spin_mutex spin_mutex;
  fencepost_event_count counts[3];
  fencepost_spsc_ring ring;
  fencepost_mpmc_ring crowd;
  long guarded[6];
  long letters[3];
  _Alignas(max_align_t) unsigned char cells[4096];
  _Alignas(max_align_t) unsigned char turns[4096];
};

static void* mapped(size_t size) {
  void* memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  CHECK(memory != MAP_FAILED);
  return memory;
}

enum { process_rounds = 5000 };

static void use_the_locks(struct between* b) {
  const struct lock all[6] = {
      LOCK(mutex, b->mutex),
      LOCK(futex_mutex, b->futex_mutex),
      LOCK(event_mutex, b->event_mutex[0]),
      LOCK(event_mutex, b->event_mutex[1]),
      LOCK(event_mutex, b->event_mutex[2]),
      LOCK(spin_mutex, b->spin_mutex),
  };
  for (int kind = 0; kind < 6; ++kind) {
    for (int n = 0; n < process_rounds; ++n) {
      all[kind].lock(all[kind].object);
      ++b->guarded[kind];
      all[kind].unlock(all[kind].object);
    }
  }
}

static void child(struct between* b) {
  use_the_locks(b);
  for (int kind = 0; kind < 3; ++kind) {
    for (uint32_t n = 0; n < process_rounds; ++n) {
      b->letters[kind] = (long)n + 1;
      fencepost_event_count_increment(&b->counts[kind]);
    }
  }
  for (uint32_t n = 0; n < process_rounds; ++n) {
    const struct parcel parcel = parcel_of(1, n);
    CHECK(fencepost_spsc_ring_push(&b->ring, &parcel) == 0);
    CHECK(fencepost_mpmc_ring_push(&b->crowd, &parcel) == 0);
  }
  fencepost_spsc_ring_close(&b->ring);
  fencepost_mpmc_ring_close(&b->crowd);
  _exit(0);
}

static void two_processes_share_everything(void) {
  struct between* b = mapped(sizeof *b);
  CHECK(fencepost_mutex_init(&b->mutex, FENCEPOST_INTERPROCESS) == 0);
  CHECK(fencepost_futex_mutex_init(&b->futex_mutex, FENCEPOST_INTERPROCESS) == 0);
  static const unsigned orderings[3] = {FENCEPOST_ASYMMETRIC, FENCEPOST_EXCHANGE,
                                        FENCEPOST_SEQ_CST};
  for (int n = 0; n < 3; ++n) {
    CHECK(fencepost_event_mutex_init(&b->event_mutex[n], orderings[n] | FENCEPOST_INTERPROCESS) ==
          0);
    CHECK(fencepost_event_count_init(&b->counts[n], count_flags[n] | FENCEPOST_INTERPROCESS) == 0);
  }
  fencepost_spin_mutex_init(&b->spin_mutex);
  CHECK(fencepost_spsc_ring_init(&b->ring, sizeof(struct parcel), 7, b->cells, sizeof b->cells,
                                 FENCEPOST_INTERPROCESS) == 0);
  CHECK(fencepost_mpmc_ring_init(&b->crowd, sizeof(struct parcel), 7, b->turns, sizeof b->turns,
                                 FENCEPOST_INTERPROCESS) == 0);
  const pid_t other = fork();
  CHECK(other >= 0);
  if (other == 0) child(b);
  use_the_locks(b);
  for (int kind = 0; kind < 3; ++kind) {
    uint32_t seen = 0;
    while (seen != process_rounds) seen = fencepost_event_count_wait(&b->counts[kind], seen);
    CHECK(b->letters[kind] == process_rounds);
  }
  for (uint32_t n = 0; n < process_rounds; ++n) {
    struct parcel parcel;
    CHECK(fencepost_spsc_ring_pop(&b->ring, &parcel) == 0);
    is_intact(&parcel);
    CHECK(parcel.number == n);
    CHECK(fencepost_mpmc_ring_pop(&b->crowd, &parcel) == 0);
    is_intact(&parcel);
    CHECK(parcel.number == n);
  }
  struct parcel parcel;
  CHECK(fencepost_spsc_ring_pop(&b->ring, &parcel) == EPIPE);
  CHECK(fencepost_mpmc_ring_pop(&b->crowd, &parcel) == EPIPE);
  int status = 0;
  CHECK(waitpid(other, &status, 0) == other);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  for (int kind = 0; kind < 6; ++kind) CHECK(b->guarded[kind] == 2L * process_rounds);
  CHECK(munmap(b, sizeof *b) == 0);
}

/* ---- a signal handler ends no wait ---- */

static _Atomic int handled;
static void handle(int signal) {
  (void)signal;
  ++handled;
}

static void* storm(void* argument) {
  const struct sleeper* sleeper = argument;
  wait_until_it_sleeps((struct sleeper*)sleeper);
  for (int n = 1; n <= 100; ++n) {
    CHECK(pthread_kill(*(pthread_t*)sleeper->ring, SIGUSR1) == 0);
    while (handled < n) sched_yield();
  }
  return NULL;
}

static void signals_end_no_wait(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = handle;
  CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
  pthread_t self = pthread_self();
  struct sleeper me = {&self, gettid()};
  fencepost_event_count count = FENCEPOST_EVENT_COUNT_INIT(0);
  pthread_t other = start(storm, &me);
  const struct timespec timeout = {0, 200000000};
  const struct timespec before = now();
  CHECK(fencepost_event_count_wait_for(&count, 0, &timeout) == ETIMEDOUT);
  CHECK(nanoseconds(now()) - nanoseconds(before) >= nanoseconds(timeout));
  while (handled < 100) {
    /* The storm waits for a sleep of this thread, if it was late. */
    CHECK(fencepost_event_count_wait_for(&count, 0, &timeout) == ETIMEDOUT);
  }
  finish(other);
}

static void the_version_is_the_headers(void) { CHECK(fencepost_version() == FENCEPOST_VERSION); }

#define TEST(name) \
  { #name, name }
static const struct {
  const char* name;
  void (*run)(void);
} tests[] = {
    TEST(a_condition_is_waited_for_in_turns),
    TEST(a_light_and_a_heavy_fence_do_not_both_miss),
    TEST(a_lock_that_is_held_says_so),
    TEST(an_mpmc_ring_loses_nothing),
    TEST(an_spsc_ring_keeps_the_order),
    TEST(event_count64_carries_letters),
    TEST(event_count64_runs_out_of_time),
    TEST(event_count_carries_letters),
    TEST(event_count_runs_out_of_time),
    TEST(flags_that_nobody_knows_are_refused),
    TEST(mpmc_ring_says_full_empty_closed),
    TEST(one_thread_at_a_time_holds_a_lock),
    TEST(signals_end_no_wait),
    TEST(spsc_ring_says_full_empty_closed),
    TEST(the_version_is_the_headers),
    TEST(two_processes_share_everything),
};

int main(int argc, char** argv) {
  int run = 0;
  for (size_t n = 0; n < sizeof tests / sizeof tests[0]; ++n) {
    if (argc > 1 && strcmp(argv[1], tests[n].name) != 0) continue;
    tests[n].run();
    printf("%s: passed\n", tests[n].name);
    ++run;
  }
  return run == 0;
}
