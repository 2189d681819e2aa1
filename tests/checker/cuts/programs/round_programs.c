// SPDX-License-Identifier: MIT
// Runs the program that its argument spells (spelled_programs.h), of loops that take four locks and
// try them in their rounds, and make each other's rounds come to nothing. Besides accesses of
// memory:
//
//   l0         lock the first lock and unlock it       h0{…}      do something while holding it
//   o01{…}     do something while holding two locks, and unlock them in the order of their locking
//   t0{…}{…}   try it, unlock it, and do the first if it was free, the second if not
//   T0{…}{…}   the same, holding it meanwhile          c0         try it, and note how it was
//   w{…} W{…}  do something until x (y) is set         f{…}       ... for ever
//   !          leave the loop; v: and note that       r          load x, and do not note it
#include <stdbool.h>

#include "spelled_programs.h"

enum { LOCKS = 4 };

static pthread_mutex_t locks[LOCKS] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                       PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};

// What comes after the block whose bracket `at` is.
static const char* behind(const char* at) {
  int open = 0;
  do {
    if (*at == '{') ++open;
    if (*at == '}') --open;
    ++at;
  } while (open != 0);
  return at;
}

// Up to the end of a block. How it was left: 0 at its end, or by that letter.
static char block(int t, const char* at, unsigned long* found);

static char attempt(int t, const char* at, unsigned long* found) {
  pthread_mutex_t* lock = &locks[at[1] - '0'];
  const char* done = at + 2;
  if (pthread_mutex_trylock(lock) != 0) return block(t, behind(done) + 1, found);
  if (*at == 't') pthread_mutex_unlock(lock);
  const char left = block(t, done + 1, found);
  if (*at == 'T') pthread_mutex_unlock(lock);
  return left;
}

static bool goes_on(char letter) {
  return letter == 'f' || __atomic_load_n(&places[letter == 'W'], __ATOMIC_ACQUIRE) == 0;
}

static void loop(int t, const char* at, unsigned long* found) {
  while (goes_on(*at)) {
    const char left = block(t, at + 2, found);
    if (left == 'v') found_out(found, 7);
    if (left != 0) return;
  }
}

static char block(int t, const char* at, unsigned long* found) {
  char left = 0;
  while (left == 0 && *at != '}' && !is_end(*at)) {
    pthread_mutex_t* lock = &locks[(at[1] - '0') & 3];
    switch (*at) {
      case 'l':
        pthread_mutex_lock(lock);
        pthread_mutex_unlock(lock);
        at += 2;
        break;
      case 'h':
        pthread_mutex_lock(lock);
        left = block(t, at + 3, found);
        pthread_mutex_unlock(lock);
        at = behind(at + 2);
        break;
      case 'o': {
        pthread_mutex_t* const other = &locks[(at[2] - '0') & 3];
        pthread_mutex_lock(lock);
        pthread_mutex_lock(other);
        left = block(t, at + 4, found);
        pthread_mutex_unlock(lock);
        pthread_mutex_unlock(other);
        at = behind(at + 3);
        break;
      }
      case 't':
      case 'T':
        left = attempt(t, at, found);
        at = behind(behind(at + 2));
        break;
      case 'c':
        if (pthread_mutex_trylock(lock) == 0) {
          found_out(found, 1);
          pthread_mutex_unlock(lock);
        } else {
          found_out(found, 2);
        }
        at += 2;
        break;
      case 'w':
      case 'W':
      case 'f':
        loop(t, at, found);
        at = behind(at + 1);
        break;
      case 'r':
        (void)__atomic_load_n(&places[0], __ATOMIC_RELAXED);
        ++at;
        break;
      case '!':
      case 'v':
        return *at;
      default:
        access_memory(t, *at++, found);
    }
  }
  return left;
}

static unsigned long run(int t, const char* text) {
  unsigned long found = 1;
  block(t, text, &found);
  return found;
}

int main(int argc, char** argv) {
  if (argc < 2) return 1;
  run_all(argv[1]);
  return 0;
}
