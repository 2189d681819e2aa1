/* SPDX-License-Identifier: MIT
 *
 * The C library's functions by other ways than their names: by a version, by the names with two
 * underscores that programs were linked to once, and the condition variables of 2002, which are
 * pointers.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#ifdef __x86_64__
#define OLDEST "GLIBC_2.2.5"
#else
#define OLDEST "GLIBC_2.17"
#endif

#define OLD(own, name)                           \
  __asm__(".symver " #own "," #name "@" OLDEST); \
  extern int own

OLD(old_lock, __pthread_mutex_lock)(pthread_mutex_t*);
OLD(old_once, __pthread_once)(pthread_once_t*, void (*)(void));

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void* try_mutex(void* argument) {
  *(int*)argument = pthread_mutex_trylock(&mutex);
  return NULL;
}

static void excludes(int (*lock)(pthread_mutex_t*)) {
  for (int n = 0; n != 3; ++n) {
    printf("%d ", lock(&mutex));
    pthread_t thread;
    int tried = 0;
    if (pthread_create(&thread, NULL, try_mutex, &tried) == 0) pthread_join(thread, NULL);
    printf("%d ", tried);
    printf("%d\n", pthread_mutex_unlock(&mutex));
  }
}

static void by_version(void) {
  int (*lock)(pthread_mutex_t*) = NULL;
  void* const found = dlvsym(RTLD_DEFAULT, "pthread_mutex_lock", OLDEST);
  memcpy(&lock, &found, sizeof lock);
  excludes(lock);
}

static void initialise(void) { printf("initialised "); }

static void with_underscores(void) {
  excludes(old_lock);
  pthread_once_t first = PTHREAD_ONCE_INIT;
  pthread_once_t second = PTHREAD_ONCE_INIT;
  printf("%d ", old_once(&first, initialise));
  printf("%d ", pthread_once(&first, initialise));
  printf("%d ", pthread_once(&second, initialise));
  printf("%d\n", old_once(&second, initialise));
}

#ifdef __x86_64__
OLD(old_init, pthread_cond_init)(void*, const void*);
OLD(old_timedwait, pthread_cond_timedwait)(void*, pthread_mutex_t*, const struct timespec*);
OLD(old_broadcast, pthread_cond_broadcast)(void*);

static void of_2002(void) {
  struct {
    void* condition;
    long behind[5];
  } object = {NULL, {1, 2, 3, 4, 5}};
  const struct timespec past = {1, 0};
  printf("%d ", old_init(&object.condition, NULL));
  pthread_mutex_lock(&mutex);
  printf("%d ", old_timedwait(&object.condition, &mutex, &past));
  printf("%d", old_broadcast(&object.condition));
  for (int n = 0; n != 5; ++n) printf(" %ld", object.behind[n]);
  puts("");
}
#else
static void of_2002(void) { puts("there are none"); }
#endif

int main(int count, char** words) {
  if (count != 2) return 2;
  (strcmp(words[1], "version") == 0       ? by_version
   : strcmp(words[1], "underscores") == 0 ? with_underscores
                                          : of_2002)();
  return 0;
}
