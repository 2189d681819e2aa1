/* SPDX-License-Identifier: MIT
 *
 * Fencepost for C11 (and for C++, though the .hpp headers inline what is called here).
 *
 *     static fencepost_mutex lock = FENCEPOST_MUTEX_INIT(0);
 *
 *     fencepost_mutex_lock(&lock);
 *     ...
 *     fencepost_mutex_unlock(&lock);
 *
 * Link with -lfencepost (pkg-config: fencepost-c; CMake: fencepost::c or fencepost::c_static). What
 * runs is the C++ header of the same name, compiled: its guarantees, its proofs and its page in the
 * documentation hold here word for word. docs/library/choosing.md helps to choose among the locks.
 *
 * Objects. The structs have a fixed size and alignment; their members are nobody's business. An
 * object begins its life by a static initialiser or by its init function; one whose bytes are all
 * zero has the default flags (rings excepted, which must be initialised). It may not be copied or
 * moved, and needs no clean-up: the destroy functions only look whether anybody still uses it.
 *
 * Flags are given when an object begins its life. FENCEPOST_INTERPROCESS says that the object lies
 * in memory that several processes map, as by mmap(MAP_SHARED): initialise it once, in one of them,
 * before the others use it; each may map it at another address. Nothing is repaired when a process
 * is killed while it holds a lock. When one is killed while it waits the others go on, some after a
 * delay; but a wake-up by a condition or a ring may be lost with it
 * (docs/library/fork_and_signals.md).
 *
 * Results. A function that can fail returns 0 or one of the errors of <errno.h>, named where it is
 * declared. errno itself is left alone. Where an object is misused (the unlock of a mutex that
 * nobody holds, say) the behaviour is undefined; a library compiled without NDEBUG stops the
 * program with a message that names object and thread.
 *
 * Time. `deadline` is a moment on CLOCK_MONOTONIC, `timeout` a duration; both are struct timespec
 * with 0 <= tv_nsec < 1000000000, or the result is EINVAL and nothing has happened. What is past or
 * negative means "try, but do not wait". A null pointer means "for ever". Timed functions return
 * ETIMEDOUT no earlier than asked for. Signals interrupt nothing: a handler runs, and the wait goes
 * on. No function here is a cancellation point.
 *
 * Ordering. What a thread did before it released something (unlock, increment, push) is seen by the
 * thread that acquires it (lock, value or wait, pop). More is said where more holds.
 */
#pragma once

#include <stdint.h>
#include <time.h>

#ifdef __cplusplus
#include <cstddef>
extern "C" {
#else
#include <stdbool.h>
#include <stddef.h>
#endif

#if defined(__cplusplus) && __cplusplus >= 201103L
#define FENCEPOST_NOEXCEPT noexcept
#define FENCEPOST_ALIGNED(bytes) alignas(bytes)
#elif defined(__cplusplus)
#define FENCEPOST_NOEXCEPT
#define FENCEPOST_ALIGNED(bytes) __attribute__((aligned(bytes)))
#else
#define FENCEPOST_NOEXCEPT
#define FENCEPOST_ALIGNED(bytes) _Alignas(bytes)
#endif

#if defined(__GNUC__)
#define FENCEPOST_MUST_CHECK __attribute__((warn_unused_result))
#else
#define FENCEPOST_MUST_CHECK
#endif

/* The version of this header: FENCEPOST_VERSION is 10000 * major + 100 * minor + patch. */
#define FENCEPOST_VERSION_MAJOR 0
#define FENCEPOST_VERSION_MINOR 1
#define FENCEPOST_VERSION_PATCH 0
#define FENCEPOST_VERSION \
  (10000 * FENCEPOST_VERSION_MAJOR + 100 * FENCEPOST_VERSION_MINOR + FENCEPOST_VERSION_PATCH)

/* The version of the library that the program runs with, counted as FENCEPOST_VERSION is. */
int fencepost_version(void) FENCEPOST_NOEXCEPT;

/* A flag of every kind of object: it lies in memory that several processes share. */
#define FENCEPOST_INTERPROCESS 1u

/* ---- mutex -------------------------------------------------------------------------------------
 * The lock that we recommend; see mutex.hpp. Not recursive. Safe to destroy and free as soon as the
 * last thread that will ever use it has locked it: an unlock that another thread has not returned
 * from yet does not touch it any more.
 */
typedef struct fencepost_mutex {
  uint32_t word;
  uint32_t flags;
} fencepost_mutex;

/* flags: 0 or FENCEPOST_INTERPROCESS. */
#define FENCEPOST_MUTEX_INIT(flags) \
  { 0, (flags) }

/* EINVAL: a flag that is not known. */
int fencepost_mutex_init(fencepost_mutex* mutex, unsigned flags) FENCEPOST_NOEXCEPT;

/* The end of a mutex, which may be initialised again. EBUSY: somebody holds it; it goes on. */
int fencepost_mutex_destroy(fencepost_mutex* mutex) FENCEPOST_NOEXCEPT;

/* Waits until the calling thread holds the mutex. Locking it twice is a deadlock. */
void fencepost_mutex_lock(fencepost_mutex* mutex) FENCEPOST_NOEXCEPT;

/* EBUSY: somebody holds it. Does not fail for any other reason. */
int fencepost_mutex_try_lock(fencepost_mutex* mutex) FENCEPOST_NOEXCEPT FENCEPOST_MUST_CHECK;

/* As lock, until a moment on CLOCK_MONOTONIC at the latest. ETIMEDOUT, EINVAL. */
int fencepost_mutex_lock_until(fencepost_mutex* mutex, const struct timespec* deadline)
    FENCEPOST_NOEXCEPT FENCEPOST_MUST_CHECK;

/* As lock, for so long at the most. ETIMEDOUT, EINVAL. */
int fencepost_mutex_lock_for(fencepost_mutex* mutex, const struct timespec* timeout)
    FENCEPOST_NOEXCEPT FENCEPOST_MUST_CHECK;

/* Releases the mutex, which the calling thread holds, and lets one waiter go on. */
void fencepost_mutex_unlock(fencepost_mutex* mutex) FENCEPOST_NOEXCEPT;

/* ---- futex mutex -------------------------------------------------------------------------------
 * One word that counts the threads inside; see futex_mutex.hpp. Safe to destroy as `mutex` is.
 */
typedef struct fencepost_futex_mutex {
  uint32_t word;
  uint32_t flags;
} fencepost_futex_mutex;

/* flags: 0 or FENCEPOST_INTERPROCESS. */
#define FENCEPOST_FUTEX_MUTEX_INIT(flags) \
  { 0, (flags) }

/* EINVAL: a flag that is not known. */
int fencepost_futex_mutex_init(fencepost_futex_mutex* mutex, unsigned flags) FENCEPOST_NOEXCEPT;

/* EBUSY: somebody holds it, nothing has happened. */
int fencepost_futex_mutex_destroy(fencepost_futex_mutex* mutex) FENCEPOST_NOEXCEPT;

/* Waits until the calling thread holds the mutex. */
void fencepost_futex_mutex_lock(fencepost_futex_mutex* mutex) FENCEPOST_NOEXCEPT;

/* EBUSY: somebody holds it. */
int fencepost_futex_mutex_try_lock(fencepost_futex_mutex* mutex)
    FENCEPOST_NOEXCEPT FENCEPOST_MUST_CHECK;

/* As lock, until a moment on CLOCK_MONOTONIC at the latest. ETIMEDOUT, EINVAL. */
int fencepost_futex_mutex_lock_until(fencepost_futex_mutex* mutex, const struct timespec* deadline)
    FENCEPOST_NOEXCEPT FENCEPOST_MUST_CHECK;

/* As lock, for so long at the most. ETIMEDOUT, EINVAL. */
int fencepost_futex_mutex_lock_for(fencepost_futex_mutex* mutex, const struct timespec* timeout)
    FENCEPOST_NOEXCEPT FENCEPOST_MUST_CHECK;

/* Releases the mutex, which the calling thread holds. */
void fencepost_futex_mutex_unlock(fencepost_futex_mutex* mutex) FENCEPOST_NOEXCEPT;

/* ---- event mutex -------------------------------------------------------------------------------
 * InnoDB's mutex: spin, announce, retry, sleep on an event; see event_mutex.hpp. The fastest to
 * unlock. It is touched by an unlock that has already let the next thread in: whoever destroys it
 * must know that all unlocks have returned.
 */
typedef struct fencepost_event_mutex {
  uint32_t words[2];
  uint32_t flags;
} fencepost_event_mutex;

/* Flags that choose the ordering, at most one of them. Without one the waiter pays: it issues a
 * process-wide barrier before it sleeps, and unlock is plain stores and loads. With
 * FENCEPOST_EXCHANGE both sides pay for an atomic exchange; with FENCEPOST_SEQ_CST for sequentially
 * consistent stores and loads. See docs/library/event_mutex.md for what each costs. */
#define FENCEPOST_ASYMMETRIC 0u
#define FENCEPOST_EXCHANGE 2u
#define FENCEPOST_SEQ_CST 4u

/* flags: an ordering, or-ed with 0 or FENCEPOST_INTERPROCESS. */
#define FENCEPOST_EVENT_MUTEX_INIT(flags) \
  { {0, 0}, (flags) }

/* EINVAL: a flag that is not known, or two orderings. */
int fencepost_event_mutex_init(fencepost_event_mutex* mutex, unsigned flags) FENCEPOST_NOEXCEPT;

/* EBUSY: somebody holds it, nothing has happened. */
int fencepost_event_mutex_destroy(fencepost_event_mutex* mutex) FENCEPOST_NOEXCEPT;

/* Waits until the calling thread holds the mutex. */
void fencepost_event_mutex_lock(fencepost_event_mutex* mutex) FENCEPOST_NOEXCEPT;

/* EBUSY: somebody holds it. */
int fencepost_event_mutex_try_lock(fencepost_event_mutex* mutex)
    FENCEPOST_NOEXCEPT FENCEPOST_MUST_CHECK;

/* As lock, until a moment on CLOCK_MONOTONIC at the latest. ETIMEDOUT, EINVAL. */
int fencepost_event_mutex_lock_until(fencepost_event_mutex* mutex, const struct timespec* deadline)
    FENCEPOST_NOEXCEPT FENCEPOST_MUST_CHECK;

/* As lock, for so long at the most. ETIMEDOUT, EINVAL. */
int fencepost_event_mutex_lock_for(fencepost_event_mutex* mutex, const struct timespec* timeout)
    FENCEPOST_NOEXCEPT FENCEPOST_MUST_CHECK;

/* Releases the mutex, which the calling thread holds. */
void fencepost_event_mutex_unlock(fencepost_event_mutex* mutex) FENCEPOST_NOEXCEPT;

/* ---- spin mutex --------------------------------------------------------------------------------
 * Never sleeps: for sections of a few instructions whose holder is never preempted for long. See
 * spin_mutex.hpp. Works between processes as it is.
 */
typedef struct fencepost_spin_mutex {
  uint8_t state;
} fencepost_spin_mutex;

#define FENCEPOST_SPIN_MUTEX_INIT \
  { 0 }

/* As the initialiser. */
void fencepost_spin_mutex_init(fencepost_spin_mutex* mutex) FENCEPOST_NOEXCEPT;

/* EBUSY: somebody holds it, nothing has happened. */
int fencepost_spin_mutex_destroy(fencepost_spin_mutex* mutex) FENCEPOST_NOEXCEPT;

/* Spins until the calling thread holds the mutex. */
void fencepost_spin_mutex_lock(fencepost_spin_mutex* mutex) FENCEPOST_NOEXCEPT;

/* EBUSY: somebody holds it. */
int fencepost_spin_mutex_try_lock(fencepost_spin_mutex* mutex)
    FENCEPOST_NOEXCEPT FENCEPOST_MUST_CHECK;

/* As lock, until a moment on CLOCK_MONOTONIC at the latest. ETIMEDOUT, EINVAL. */
int fencepost_spin_mutex_lock_until(fencepost_spin_mutex* mutex, const struct timespec* deadline)
    FENCEPOST_NOEXCEPT FENCEPOST_MUST_CHECK;

/* As lock, for so long at the most. ETIMEDOUT, EINVAL. */
int fencepost_spin_mutex_lock_for(fencepost_spin_mutex* mutex, const struct timespec* timeout)
    FENCEPOST_NOEXCEPT FENCEPOST_MUST_CHECK;

/* Releases the mutex, which the calling thread holds. */
void fencepost_spin_mutex_unlock(fencepost_spin_mutex* mutex) FENCEPOST_NOEXCEPT;

/* ---- condition variable ------------------------------------------------------------------------
 * For fencepost_mutex; see condition_variable.hpp. Change what is waited for while you hold the
 * mutex, notify then or after the unlock: a thread that waits for the change is woken, or all are.
 * A wait may return for no reason: look again. Destroy it when every wait has returned.
 *
 *     fencepost_mutex_lock(&mutex);
 *     while (!ready) fencepost_condition_wait(&changed, &mutex);
 *     fencepost_mutex_unlock(&mutex);
 */
typedef struct fencepost_condition {
  uint64_t state;
  uint32_t flags;
  uint32_t reserved;
} fencepost_condition;

/* flags: 0 or FENCEPOST_INTERPROCESS; the mutex it is used with has the same. */
#define FENCEPOST_CONDITION_INIT(flags) \
  { 0, (flags), 0 }

/* EINVAL: a flag that is not known. */
int fencepost_condition_init(fencepost_condition* condition, unsigned flags) FENCEPOST_NOEXCEPT;

/* The end of a condition variable, in which nobody waits any more. Cannot fail. */
void fencepost_condition_destroy(fencepost_condition* condition) FENCEPOST_NOEXCEPT;

/* Unlocks the mutex, which the calling thread holds, sleeps until notified or for no reason, and
 * locks it again. */
void fencepost_condition_wait(fencepost_condition* condition,
                              fencepost_mutex* mutex) FENCEPOST_NOEXCEPT;

/* As wait, until a moment on CLOCK_MONOTONIC at the latest. ETIMEDOUT: that moment came, and the
 * mutex is held again. EINVAL: the mutex was not unlocked. */
int fencepost_condition_wait_until(fencepost_condition* condition, fencepost_mutex* mutex,
                                   const struct timespec* deadline)
    FENCEPOST_NOEXCEPT FENCEPOST_MUST_CHECK;

/* As wait, for so long at the most. ETIMEDOUT, EINVAL, as for wait_until. */
int fencepost_condition_wait_for(fencepost_condition* condition, fencepost_mutex* mutex,
                                 const struct timespec* timeout)
    FENCEPOST_NOEXCEPT FENCEPOST_MUST_CHECK;

/* Wakes one of the threads that wait, if there are any. */
void fencepost_condition_notify_one(fencepost_condition* condition) FENCEPOST_NOEXCEPT;

/* Wakes all threads that wait. */
void fencepost_condition_notify_all(fencepost_condition* condition) FENCEPOST_NOEXCEPT;

/* ---- asymmetric fences -------------------------------------------------------------------------
 * A store-load barrier whose frequent side costs nothing, for the rare side has the kernel
 * interrupt every thread of the process; see asymmetric_fence.hpp. Of a light and a heavy fence, or
 * of two heavy ones, one comes first, and what precedes it is seen behind the other. Two light ones
 * order nothing.
 */
enum fencepost_strategy {
  FENCEPOST_FENCE_MEMBARRIER = 1,  /* light is for the compiler alone, heavy is the kernel's */
  FENCEPOST_FENCE_FULL_FENCES = 2, /* there is no such call here: both sides are full fences */
  FENCEPOST_FENCE_MPROTECT = 3     /* as 1, by taking a page away: where membarrier is forbidden */
};

/* A function call, and therefore dearer than asymmetric_thread_fence_light() in C++. */
void fencepost_fence_light(void) FENCEPOST_NOEXCEPT;

/* A few microseconds, and the disturbance of the threads that run. */
void fencepost_fence_heavy(void) FENCEPOST_NOEXCEPT;

/* What the two are in this process; one of the three. */
enum fencepost_strategy fencepost_fence_strategy(void) FENCEPOST_NOEXCEPT;

/* The same more exactly: private_expedited, global_expedited, global, mprotect, full_fences; or
 * retreating, on the way from the others to the last. */
const char* fencepost_fence_strategy_name(void) FENCEPOST_NOEXCEPT;

/* Puts the strategy of that name in force, at any time. EINVAL: there is none of that name, or
 * NULL. ENOTSUP: it does not work here, or full fences have been in force; nothing has changed.
 * Whoever enters a sandbox that forbids what is in force uses full_fences beforehand. The
 * environment variable FENCEPOST_ASYMMETRIC_FENCE does the same for programs that do not. */
int fencepost_fence_use(const char* name) FENCEPOST_NOEXCEPT FENCEPOST_MUST_CHECK;

/* As fencepost_fence_strategy(), for what processes share (FENCEPOST_INTERPROCESS with
 * FENCEPOST_ASYMMETRIC, FENCEPOST_ONE_PRODUCER, FENCEPOST_TWO_WORDS or a ring): 1 or 2. The first
 * call enrols this process among those that may be interrupted; so do the init functions with these
 * flags. A process that only maps such an object should call this once when it starts: until it has
 * enrolled it pays for full fences, or its waiters look again at intervals. */
enum fencepost_strategy fencepost_interprocess_strategy(void) FENCEPOST_NOEXCEPT;

/* ---- tickets -----------------------------------------------------------------------------------
 * A heavy fence that is begun now and over later, by interrupts that come anyway; see
 * barrier_ticket.hpp:
 *
 *     unlink the object;
 *     fencepost_barrier_ticket ticket;
 *     fencepost_barrier_ticket_begin(&ticket, NULL);
 *     ...
 *     if (fencepost_barrier_ticket_ready(&ticket)) free the object;
 *
 * Once it is over, it is as if fencepost_fence_heavy() had been called at some moment since it was
 * begun. A ticket is a value: it may be copied, and has nothing to be given back. One of all zeros
 * is over.
 */
typedef struct fencepost_barrier_ticket {
  uint64_t opaque_[4];
} fencepost_barrier_ticket;

/* Begins. `processors`: a cpu_set_t of those that all threads that matter are bound to, which must
 * outlive the ticket; NULL: all. Where fencepost-barrierd runs this is a full fence
 * and a look at the time; elsewhere it is the heavy fence, and the ticket is over at once. */
void fencepost_barrier_ticket_begin(fencepost_barrier_ticket* ticket,
                                    const void* processors) FENCEPOST_NOEXCEPT;

/* Whether it is over. Does not block. By itself it may never be: a clock can stop. */
bool fencepost_barrier_ticket_ready(fencepost_barrier_ticket* ticket)
    FENCEPOST_NOEXCEPT FENCEPOST_MUST_CHECK;

/* Waits until it is over: at the deadline (CLOCK_MONOTONIC; NULL: none) at last, or 1.2
 * milliseconds after it was begun if that is earlier, by a heavy fence where the interrupts have
 * not sufficed. EINVAL: that is no time; nothing was waited for. */
int fencepost_barrier_ticket_wait_until(fencepost_barrier_ticket* ticket,
                                        const struct timespec* deadline) FENCEPOST_NOEXCEPT;

/* The same after `timeout` at last; NULL: no limit. */
int fencepost_barrier_ticket_wait_for(fencepost_barrier_ticket* ticket,
                                      const struct timespec* timeout) FENCEPOST_NOEXCEPT;

/* Has it over now, by a heavy fence where it is not. */
void fencepost_barrier_ticket_finish(fencepost_barrier_ticket* ticket) FENCEPOST_NOEXCEPT;

/* For threads on processors of their own, which nothing interrupts: says that this processor has
 * passed a full fence. Not within what a light fence is to protect. Tickets of this API see it,
 * those of C++ have their own barrier_check_in(). */
void fencepost_barrier_check_in(void) FENCEPOST_NOEXCEPT;

/* ---- the interrupt clock -----------------------------------------------------------------------
 * When each processor was last interrupted, if fencepost-barrierd runs; see interrupt_clock.hpp:
 *
 *     atomic_store(...);                                     what others are to see
 *     uint64_t since = fencepost_interrupt_clock_now();
 *     ...
 *     if (fencepost_interrupt_clock_passed(since)) ...       as behind a heavy fence
 *
 * Have a deadline, and something else to do then: there may be no clock, and clocks can stop.
 */

/* Whether there is a clock that can be believed. Where there was none, it is looked for again once
 * a second. */
bool fencepost_interrupt_clock_alive(void) FENCEPOST_NOEXCEPT;

/* A full fence, and then the time: nanoseconds of CLOCK_MONOTONIC. */
uint64_t fencepost_interrupt_clock_now(void) FENCEPOST_NOEXCEPT;

/* Whether every processor has passed a full fence later than that; false also without a clock. */
bool fencepost_interrupt_clock_passed(uint64_t since) FENCEPOST_NOEXCEPT FENCEPOST_MUST_CHECK;

/* The same of some processors, where all threads that matter are bound to them: a cpu_set_t of
 * `size` bytes; NULL: of all. */
bool fencepost_interrupt_clock_passed_on(uint64_t since, const void* processors,
                                         size_t size) FENCEPOST_NOEXCEPT FENCEPOST_MUST_CHECK;

/* A moment of the virtual clock, a number that the kernel's program advances; of one clock, for
 * each that is started has a virtual time of its own. `clock` is null where there was none. */
typedef struct {
  const void* clock;
  uint64_t time;
} fencepost_virtual_time;

/* A full fence, and then the virtual time; nothing of it where there is no clock. */
fencepost_virtual_time fencepost_interrupt_clock_virtual_now(void) FENCEPOST_NOEXCEPT;

/* Whether every processor has passed a full fence since then; false for ever if there was no clock,
 * or it has ended. Of a processor that was switched off before the clock began it is never true. */
bool fencepost_interrupt_clock_passed_virtually(fencepost_virtual_time since)
    FENCEPOST_NOEXCEPT FENCEPOST_MUST_CHECK;

/* ---- event counts ------------------------------------------------------------------------------
 * A version that threads wait for, next to data that they share without locks; see event_count.hpp.
 *
 *     change the data;                       for (;;) {
 *     fencepost_event_count_increment(&c);     uint32_t seen = fencepost_event_count_value(&c);
 *                                              if (the data is what I wait for) break;
 *                                              fencepost_event_count_wait(&c, seen);
 *                                            }
 *
 * No increment between the look and the sleep is missed. An increment with nobody asleep is an
 * addition and a branch. What the producer did before an increment is seen by whoever sees its
 * version. Increments touch the object after the waiters can see the new version: do not destroy
 * it because a wait returned.
 */

/* Flags that choose the kind, at most one of them. Without one any number of threads may increment.
 * With FENCEPOST_ONE_PRODUCER one thread at a time may, and on x86-64 its addition needs no lock
 * prefix; with FENCEPOST_TWO_WORDS one thread at a time may, on any processor by plain loads and
 * stores. */
#define FENCEPOST_ONE_PRODUCER 2u
#define FENCEPOST_TWO_WORDS 4u

/* The second of two words begins with "nobody has asked whether there is a barrier". */
#define FENCEPOST_FIRST_FLAG_(flags) \
  (((flags) & (FENCEPOST_TWO_WORDS | FENCEPOST_INTERPROCESS)) == FENCEPOST_TWO_WORDS ? 2u : 0u)

/* Why a thread that goes to sleep may trust that the next increment wakes it. */
enum fencepost_certainty {
  FENCEPOST_CERTAIN_BY_ORDER = 0,   /* the memory orders of both sides see to it */
  FENCEPOST_CERTAIN_BY_BARRIER = 1, /* it interrupts every possible producer first */
  FENCEPOST_CERTAIN_BY_TIME = 2     /* it may not: it looks again after at most a second */
};

/* Versions of 32 bits: they run to 2^31 - 1, with FENCEPOST_TWO_WORDS to 2^32 - 1, and start again.
 * A waiter that is stopped for a whole round of increments takes the version for unchanged. */
typedef struct fencepost_event_count {
  uint32_t words[2];
  uint32_t flags;
} fencepost_event_count;

/* flags: a kind, or-ed with 0 or FENCEPOST_INTERPROCESS. Starts with version 0. */
#define FENCEPOST_EVENT_COUNT_INIT(flags) \
  { {0, FENCEPOST_FIRST_FLAG_(flags)}, (flags) }

/* As the initialiser. EINVAL: a flag that is not known, or two kinds. */
int fencepost_event_count_init(fencepost_event_count* count, unsigned flags) FENCEPOST_NOEXCEPT;

/* The end of an event count. Nobody may wait for it or increment it any more. Cannot fail. */
void fencepost_event_count_destroy(fencepost_event_count* count) FENCEPOST_NOEXCEPT;

/* The current version. Acquire. */
uint32_t fencepost_event_count_value(const fencepost_event_count* count) FENCEPOST_NOEXCEPT;

/* The next version; wakes everybody who waits. Release. */
void fencepost_event_count_increment(fencepost_event_count* count) FENCEPOST_NOEXCEPT;

/* As n calls of increment in one; n is at most the last version. Adding 0 wakes nobody. */
uint32_t fencepost_event_count_add(fencepost_event_count* count, uint32_t n) FENCEPOST_NOEXCEPT;

/* Returns once the version is not `old`, with a version that it had since. Acquire. */
uint32_t fencepost_event_count_wait(fencepost_event_count* count, uint32_t old) FENCEPOST_NOEXCEPT;

/* As wait, until a moment on CLOCK_MONOTONIC at the latest. 0: the version is not `old`. ETIMEDOUT,
 * EINVAL. */
int fencepost_event_count_wait_until(fencepost_event_count* count, uint32_t old,
                                     const struct timespec* deadline)
    FENCEPOST_NOEXCEPT FENCEPOST_MUST_CHECK;

/* As wait, for so long at the most. 0: the version is not `old`. ETIMEDOUT, EINVAL. */
int fencepost_event_count_wait_for(fencepost_event_count* count, uint32_t old,
                                   const struct timespec* timeout)
    FENCEPOST_NOEXCEPT FENCEPOST_MUST_CHECK;

/* Waits until done(data) is true: asks, and asks again after each increment; `deadline` as for
 * wait_until, null for ever. What `done` reads must be written before an increment. 0: it was true.
 * ETIMEDOUT: it was not, when asked for the last time. EINVAL: it was not asked. */
int fencepost_event_count_await(fencepost_event_count* count, bool (*done)(void* data), void* data,
                                const struct timespec* deadline)
    FENCEPOST_NOEXCEPT FENCEPOST_MUST_CHECK;

/* Whether the next increment will make a system call, because somebody sleeps or did. A guess. */
bool fencepost_event_count_has_waiters(const fencepost_event_count* count) FENCEPOST_NOEXCEPT;

/* What a thread of this process relies on when it sleeps on this event count. */
enum fencepost_certainty fencepost_event_count_certainty(const fencepost_event_count* count)
    FENCEPOST_NOEXCEPT;

/* Versions of 64 bits, which do not come round in a lifetime. */
typedef struct fencepost_event_count64 {
  uint64_t words[2];
  uint32_t flags;
  uint32_t reserved;
} fencepost_event_count64;

/* flags: a kind, or-ed with 0 or FENCEPOST_INTERPROCESS. Starts with version 0. */
#define FENCEPOST_EVENT_COUNT64_INIT(flags) \
  { {0, FENCEPOST_FIRST_FLAG_(flags)}, (flags), 0 }

/* As the initialiser. EINVAL: a flag that is not known, or two kinds. */
int fencepost_event_count64_init(fencepost_event_count64* count, unsigned flags) FENCEPOST_NOEXCEPT;

/* The end of an event count. Nobody may wait for it or increment it any more. Cannot fail. */
void fencepost_event_count64_destroy(fencepost_event_count64* count) FENCEPOST_NOEXCEPT;

/* The current version. Acquire. */
uint64_t fencepost_event_count64_value(const fencepost_event_count64* count) FENCEPOST_NOEXCEPT;

/* The next version; wakes everybody who waits. Release. */
void fencepost_event_count64_increment(fencepost_event_count64* count) FENCEPOST_NOEXCEPT;

/* As n calls of increment in one; n is at most the last version. Adding 0 wakes nobody. */
uint64_t fencepost_event_count64_add(fencepost_event_count64* count, uint64_t n) FENCEPOST_NOEXCEPT;

/* Returns once the version is not `old`, with a version that it had since. Acquire. */
uint64_t fencepost_event_count64_wait(fencepost_event_count64* count,
                                      uint64_t old) FENCEPOST_NOEXCEPT;

/* As wait, until a moment on CLOCK_MONOTONIC at the latest. 0: the version is not `old`. ETIMEDOUT,
 * EINVAL. */
int fencepost_event_count64_wait_until(fencepost_event_count64* count, uint64_t old,
                                       const struct timespec* deadline)
    FENCEPOST_NOEXCEPT FENCEPOST_MUST_CHECK;

/* As wait, for so long at the most. 0: the version is not `old`. ETIMEDOUT, EINVAL. */
int fencepost_event_count64_wait_for(fencepost_event_count64* count, uint64_t old,
                                     const struct timespec* timeout)
    FENCEPOST_NOEXCEPT FENCEPOST_MUST_CHECK;

/* Waits until done(data) is true: asks, and asks again after each increment; `deadline` as for
 * wait_until, null for ever. What `done` reads must be written before an increment. 0: it was true.
 * ETIMEDOUT: it was not, when asked for the last time. EINVAL: it was not asked. */
int fencepost_event_count64_await(fencepost_event_count64* count, bool (*done)(void* data),
                                  void* data, const struct timespec* deadline)
    FENCEPOST_NOEXCEPT FENCEPOST_MUST_CHECK;

/* Whether the next increment will make a system call, because somebody sleeps or did. A guess. */
bool fencepost_event_count64_has_waiters(const fencepost_event_count64* count) FENCEPOST_NOEXCEPT;

/* What a thread of this process relies on when it sleeps on this event count. */
enum fencepost_certainty fencepost_event_count64_certainty(const fencepost_event_count64* count)
    FENCEPOST_NOEXCEPT;

/* ---- rings -------------------------------------------------------------------------------------
 * Bounded queues of elements of one size, which are copied in and out; see ring.hpp. In an
 * spsc_ring one thread at a time may push and one at a time may pop; in an mpmc_ring anybody may do
 * anything. The elements of one producer come out in its order. What precedes a push is seen behind
 * the pop of its element.
 *
 *     fencepost_spsc_ring ring;
 *     if (fencepost_spsc_ring_init(&ring, sizeof(struct job), 1024, NULL, 0, 0) != 0) ...
 *
 *     fencepost_spsc_ring_push(&ring, &job);                  waits while the ring is full
 *     while (fencepost_spsc_ring_pop(&ring, &job) == 0) ...   waits while it is empty, ends when
 * closed fencepost_spsc_ring_close(&ring);
 *
 * The elements lie in memory that init allocates or that the caller provides. For a ring between
 * processes the caller provides it, in the same mapping as the ring, so that both have the same
 * distance wherever the mapping is.
 *
 * Errors of push and pop: EPIPE, the ring was closed (pop: and all that was in it is taken); EAGAIN
 * from the try forms, it is full or empty; ETIMEDOUT from the timed forms; EINVAL, that was no
 * time. After an error nothing was pushed, or nothing written to `element`.
 */

/* One producer, one consumer. */
typedef struct fencepost_spsc_ring {
  FENCEPOST_ALIGNED(128) unsigned char state[512];
} fencepost_spsc_ring;

/* How many bytes of memory, aligned as for malloc, init needs; 0: that many elements cannot be. */
size_t fencepost_spsc_ring_memory(size_t element_size, size_t capacity) FENCEPOST_NOEXCEPT;

/* A ring for `capacity` elements of `element_size` bytes. `memory`: where they are
 * put, `memory_size` bytes that belong to the ring until it is destroyed; null: they are allocated.
 * flags: 0 or FENCEPOST_INTERPROCESS, for which the memory must be given.
 * EINVAL: a size of 0, memory that is too small or not aligned, a flag that is not known. ENOMEM:
 * there is no memory. */
int fencepost_spsc_ring_init(fencepost_spsc_ring* ring, size_t element_size, size_t capacity,
                             void* memory, size_t memory_size,
                             unsigned flags) FENCEPOST_NOEXCEPT FENCEPOST_MUST_CHECK;

/* The end of the ring and of the elements in it; frees what init allocated. Nobody may be inside a
 * push or a pop any more: who pops the last element may not destroy the ring before the push of it
 * has returned. EBUSY: a thread waits in it, nothing has happened. */
int fencepost_spsc_ring_destroy(fencepost_spsc_ring* ring) FENCEPOST_NOEXCEPT;

/* Copies an element in, waiting while the ring is full. EPIPE. */
int fencepost_spsc_ring_push(fencepost_spsc_ring* ring,
                             const void* element) FENCEPOST_NOEXCEPT FENCEPOST_MUST_CHECK;

/* Copies an element in if there is room. EAGAIN, EPIPE. */
int fencepost_spsc_ring_try_push(fencepost_spsc_ring* ring,
                                 const void* element) FENCEPOST_NOEXCEPT FENCEPOST_MUST_CHECK;

/* As push, until a moment on CLOCK_MONOTONIC at the latest. ETIMEDOUT, EPIPE, EINVAL. */
int fencepost_spsc_ring_push_until(fencepost_spsc_ring* ring, const void* element,
                                   const struct timespec* deadline)
    FENCEPOST_NOEXCEPT FENCEPOST_MUST_CHECK;

/* As push, for so long at the most. ETIMEDOUT, EPIPE, EINVAL. */
int fencepost_spsc_ring_push_for(fencepost_spsc_ring* ring, const void* element,
                                 const struct timespec* timeout)
    FENCEPOST_NOEXCEPT FENCEPOST_MUST_CHECK;

/* Copies the oldest element to `element`, waiting while there is none. EPIPE. */
int fencepost_spsc_ring_pop(fencepost_spsc_ring* ring,
                            void* element) FENCEPOST_NOEXCEPT FENCEPOST_MUST_CHECK;

/* Copies the oldest element to `element` if there is one. EAGAIN, EPIPE. */
int fencepost_spsc_ring_try_pop(fencepost_spsc_ring* ring,
                                void* element) FENCEPOST_NOEXCEPT FENCEPOST_MUST_CHECK;

/* As pop, until a moment on CLOCK_MONOTONIC at the latest. ETIMEDOUT, EPIPE, EINVAL. */
int fencepost_spsc_ring_pop_until(fencepost_spsc_ring* ring, void* element,
                                  const struct timespec* deadline)
    FENCEPOST_NOEXCEPT FENCEPOST_MUST_CHECK;

/* As pop, for so long at the most. ETIMEDOUT, EPIPE, EINVAL. */
int fencepost_spsc_ring_pop_for(fencepost_spsc_ring* ring, void* element,
                                const struct timespec* timeout)
    FENCEPOST_NOEXCEPT FENCEPOST_MUST_CHECK;

/* Copies in as many of the `count` elements of an array as there is room for, all at once; how
 * many. Fewer than `count`: the ring is full, or closed. */
size_t fencepost_spsc_ring_try_push_n(fencepost_spsc_ring* ring, const void* elements,
                                      size_t count) FENCEPOST_NOEXCEPT FENCEPOST_MUST_CHECK;

/* Copies out up to `count` elements that are there, oldest first; how many. */
size_t fencepost_spsc_ring_try_pop_n(fencepost_spsc_ring* ring, void* elements,
                                     size_t count) FENCEPOST_NOEXCEPT FENCEPOST_MUST_CHECK;

/* Every push from now on fails, and so does every pop once the ring is empty. Wakes everybody who
 * waits. May be called by any thread, and again. */
void fencepost_spsc_ring_close(fencepost_spsc_ring* ring) FENCEPOST_NOEXCEPT;

/* Whether close was called. */
bool fencepost_spsc_ring_closed(const fencepost_spsc_ring* ring) FENCEPOST_NOEXCEPT;

/* How many elements the ring holds at most. */
size_t fencepost_spsc_ring_capacity(const fencepost_spsc_ring* ring) FENCEPOST_NOEXCEPT;

/* How many elements there were a moment ago; a guess while others push and pop. */
size_t fencepost_spsc_ring_size(const fencepost_spsc_ring* ring) FENCEPOST_NOEXCEPT;

/* Many producers, many consumers. */
typedef struct fencepost_mpmc_ring {
  FENCEPOST_ALIGNED(128) unsigned char state[512];
} fencepost_mpmc_ring;

/* How many bytes of memory, aligned as for malloc, init needs; 0: that many elements cannot be. */
size_t fencepost_mpmc_ring_memory(size_t element_size, size_t capacity) FENCEPOST_NOEXCEPT;

/* A ring for at least `capacity` (the next power of two) elements of `element_size` bytes.
 * `memory`: where they are put, `memory_size` bytes that belong to the ring until it is destroyed;
 * null: they are allocated. flags: 0 or FENCEPOST_INTERPROCESS, for which the memory must be given.
 * EINVAL: a size of 0, memory that is too small or not aligned, a flag that is not known. ENOMEM:
 * there is no memory. */
int fencepost_mpmc_ring_init(fencepost_mpmc_ring* ring, size_t element_size, size_t capacity,
                             void* memory, size_t memory_size,
                             unsigned flags) FENCEPOST_NOEXCEPT FENCEPOST_MUST_CHECK;

/* The end of the ring and of the elements in it; frees what init allocated. Nobody may be inside a
 * push or a pop any more: who pops the last element may not destroy the ring before the push of it
 * has returned. EBUSY: a thread waits in it, nothing has happened. */
int fencepost_mpmc_ring_destroy(fencepost_mpmc_ring* ring) FENCEPOST_NOEXCEPT;

/* Copies an element in, waiting while the ring is full. EPIPE. */
int fencepost_mpmc_ring_push(fencepost_mpmc_ring* ring,
                             const void* element) FENCEPOST_NOEXCEPT FENCEPOST_MUST_CHECK;

/* Copies an element in if there is room. EAGAIN, EPIPE. */
int fencepost_mpmc_ring_try_push(fencepost_mpmc_ring* ring,
                                 const void* element) FENCEPOST_NOEXCEPT FENCEPOST_MUST_CHECK;

/* As push, until a moment on CLOCK_MONOTONIC at the latest. ETIMEDOUT, EPIPE, EINVAL. */
int fencepost_mpmc_ring_push_until(fencepost_mpmc_ring* ring, const void* element,
                                   const struct timespec* deadline)
    FENCEPOST_NOEXCEPT FENCEPOST_MUST_CHECK;

/* As push, for so long at the most. ETIMEDOUT, EPIPE, EINVAL. */
int fencepost_mpmc_ring_push_for(fencepost_mpmc_ring* ring, const void* element,
                                 const struct timespec* timeout)
    FENCEPOST_NOEXCEPT FENCEPOST_MUST_CHECK;

/* Copies the oldest element to `element`, waiting while there is none. EPIPE. */
int fencepost_mpmc_ring_pop(fencepost_mpmc_ring* ring,
                            void* element) FENCEPOST_NOEXCEPT FENCEPOST_MUST_CHECK;

/* Copies the oldest element to `element` if there is one. EAGAIN, EPIPE. */
int fencepost_mpmc_ring_try_pop(fencepost_mpmc_ring* ring,
                                void* element) FENCEPOST_NOEXCEPT FENCEPOST_MUST_CHECK;

/* As pop, until a moment on CLOCK_MONOTONIC at the latest. ETIMEDOUT, EPIPE, EINVAL. */
int fencepost_mpmc_ring_pop_until(fencepost_mpmc_ring* ring, void* element,
                                  const struct timespec* deadline)
    FENCEPOST_NOEXCEPT FENCEPOST_MUST_CHECK;

/* As pop, for so long at the most. ETIMEDOUT, EPIPE, EINVAL. */
int fencepost_mpmc_ring_pop_for(fencepost_mpmc_ring* ring, void* element,
                                const struct timespec* timeout)
    FENCEPOST_NOEXCEPT FENCEPOST_MUST_CHECK;

/* Every push from now on fails, and so does every pop once the ring is empty. Wakes everybody who
 * waits. May be called by any thread, and again. */
void fencepost_mpmc_ring_close(fencepost_mpmc_ring* ring) FENCEPOST_NOEXCEPT;

/* Whether close was called. */
bool fencepost_mpmc_ring_closed(const fencepost_mpmc_ring* ring) FENCEPOST_NOEXCEPT;

/* How many elements the ring holds at most. */
size_t fencepost_mpmc_ring_capacity(const fencepost_mpmc_ring* ring) FENCEPOST_NOEXCEPT;

/* How many elements there were a moment ago; a guess while others push and pop. */
size_t fencepost_mpmc_ring_size(const fencepost_mpmc_ring* ring) FENCEPOST_NOEXCEPT;

#ifdef __cplusplus
} /* extern "C" */
#endif

#undef FENCEPOST_NOEXCEPT
#undef FENCEPOST_MUST_CHECK
#undef FENCEPOST_ALIGNED
