/* SPDX-License-Identifier: MIT
 *
 * Threads that wait for each other: a bounded buffer of two condition variables, and threads that
 * are cancelled while they wait.
 */
#include <errno.h>
#include <semaphore.h>

#include "work.h"

enum { capacity = 8 };

static struct {
  pthread_mutex_t mutex;
  pthread_cond_t not_full;
  pthread_cond_t not_empty;
  unsigned long elements[capacity];
  unsigned long put;
  unsigned long taken;
} buffer = {.mutex = PTHREAD_MUTEX_INITIALIZER, .not_full = PTHREAD_COND_INITIALIZER};

/* Whether the one who waits shall look again; the buffer's mutex is held. Nobody waits for ever:
 * all may want to take. */
static bool wait_a_little(struct worker* self, pthread_cond_t* changed, clockid_t clock) {
  const struct timespec until = moment(self, clock);
  return MUST_BE(0, ETIMEDOUT, pthread_cond_timedwait(changed, &buffer.mutex, &until)) == 0;
}

static void put_or_take(struct worker* self) {
  MUST_DO(pthread_mutex_lock(&buffer.mutex));
  if (below(self, 2) == 0) {
    bool in_time = true;
    while (buffer.put - buffer.taken == capacity && in_time) {
      in_time = wait_a_little(self, &buffer.not_full, CLOCK_REALTIME);
    }
    if (buffer.put - buffer.taken < capacity) {
      buffer.elements[buffer.put % capacity] = buffer.put;
      ++buffer.put;
      MUST_DO(pthread_cond_signal(&buffer.not_empty));
    }
  } else {
    bool in_time = true;
    while (buffer.put == buffer.taken && in_time) {
      in_time = wait_a_little(self, &buffer.not_empty, CLOCK_MONOTONIC);
    }
    if (buffer.put != buffer.taken) {
      MUST(buffer.elements[buffer.taken % capacity] == buffer.taken);
      ++buffer.taken;
      if (below(self, 2) == 0) {
        MUST_DO(pthread_cond_signal(&buffer.not_full));
      } else {
        MUST_DO(pthread_cond_broadcast(&buffer.not_full));
      }
    }
  }
  MUST(buffer.put - buffer.taken <= capacity);
  MUST_DO(pthread_mutex_unlock(&buffer.mutex));
}

/* Two threads wait without a deadline; one is told to go on, one is cancelled, whichever is first.
 */
struct waiting_room {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  sem_t semaphore;
  int tickets;
  int left;
};

struct guest {
  struct waiting_room* room;
  bool went_on;
};

static void leave(void* argument) {
  struct waiting_room* const room = argument;
  ++room->left;
  MUST_DO(pthread_mutex_unlock(&room->mutex));
}

static void* wait_for_a_ticket(void* argument) {
  struct guest* const guest = argument;
  struct waiting_room* const room = guest->room;
  MUST_DO(pthread_mutex_lock(&room->mutex));
  pthread_cleanup_push(leave, room);
  while (room->tickets == 0) MUST_DO(pthread_cond_wait(&room->changed, &room->mutex));
  --room->tickets;
  guest->went_on = true;
  pthread_cleanup_pop(1);
  return NULL;
}

static void* wait_for_a_permit(void* argument) {
  struct guest* const guest = argument;
  while (sem_wait(&guest->room->semaphore) != 0) MUST(errno == EINTR);
  guest->went_on = true;
  return NULL;
}

/* Whether the guest went on, not cancelled. What pthread_join() gives does not tell: glibc 2.36
   calls a thread cancelled, too, that has returned as it was. */
static bool went_on(pthread_t thread, const struct guest* guest) {
  MUST_DO(pthread_join(thread, NULL));
  return guest->went_on;
}

static void cancel_one_of_two(struct worker* self) {
  struct waiting_room room = {.mutex = PTHREAD_MUTEX_INITIALIZER,
                              .changed = PTHREAD_COND_INITIALIZER};
  struct guest guests[2] = {{.room = &room}, {.room = &room}};
  pthread_t threads[2];
  for (int n = 0; n != 2; ++n) {
    MUST_DO(pthread_create(&threads[n], NULL, wait_for_a_ticket, &guests[n]));
  }
  linger(self);
  MUST_DO(pthread_mutex_lock(&room.mutex));
  room.tickets = 1;
  MUST_DO(pthread_cond_signal(&room.changed));
  MUST_DO(pthread_mutex_unlock(&room.mutex));
  linger(self);
  MUST_DO(pthread_cancel(threads[0]));
  const bool first_went_on = went_on(threads[0], &guests[0]);
  if (first_went_on) MUST_DO(pthread_cancel(threads[1]));
  MUST(went_on(threads[1], &guests[1]) != first_went_on);
  MUST(room.left == 2 && room.tickets == 0);
  MUST_DO(pthread_cond_destroy(&room.changed));
  MUST_DO(pthread_mutex_destroy(&room.mutex));
}

static void cancel_a_semaphores(struct worker* self) {
  struct waiting_room room;
  MUST(sem_init(&room.semaphore, 0, 0) == 0);
  struct guest guest = {.room = &room};
  pthread_t thread;
  MUST_DO(pthread_create(&thread, NULL, wait_for_a_permit, &guest));
  linger(self);
  MUST_DO(pthread_cancel(thread));
  MUST(sem_post(&room.semaphore) == 0);
  int left = -1;
  const bool has_it = went_on(thread, &guest);
  MUST(sem_getvalue(&room.semaphore, &left) == 0 && left == (has_it ? 0 : 1));
  MUST(sem_destroy(&room.semaphore) == 0);
}

void make_meetings(void) {
  pthread_condattr_t attributes;
  MUST_DO(pthread_condattr_init(&attributes));
  MUST_DO(pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC));
  MUST_DO(pthread_cond_init(&buffer.not_empty, &attributes));
  MUST_DO(pthread_condattr_destroy(&attributes));
}

void look_at_meetings(void) {
  MUST_DO(pthread_mutex_lock(&buffer.mutex));
  MUST(buffer.put - buffer.taken <= capacity);
  MUST_DO(pthread_mutex_unlock(&buffer.mutex));
  MUST_DO(pthread_cond_destroy(&buffer.not_full));
  MUST_DO(pthread_cond_destroy(&buffer.not_empty));
}

const struct work meeting_works[] = {
    {"the buffer", put_or_take, 40},
    {"a cancelled wait", cancel_one_of_two, 2},
    {"a cancelled semaphore", cancel_a_semaphores, 2},
    {NULL, NULL, 0},
};
