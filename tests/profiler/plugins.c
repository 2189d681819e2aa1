// SPDX-License-Identifier: MIT
// plugins FILE FUNCTION ROUNDS …: loads each library, calls its function, unloads it, and says
// where that was. The function waits for a mutex that another thread has for a moment.
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t has_it;

static void* have(void* unused) {
  const struct timespec moment = {0, 50000000};
  pthread_mutex_lock(&mutex);
  pthread_barrier_wait(&has_it);
  nanosleep(&moment, NULL);
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(int argc, char** argv) {
  pthread_barrier_init(&has_it, NULL, 2);
  for (int n = 1; n + 2 < argc; n += 3) {
    void* const library = dlopen(argv[n], RTLD_NOW);
    if (library == NULL) return 1;
    void (*const call)(pthread_mutex_t*, int) = dlsym(library, argv[n + 1]);
    pthread_t other;
    pthread_create(&other, NULL, have, NULL);
    pthread_barrier_wait(&has_it);
    call(&mutex, atoi(argv[n + 2]));
    pthread_join(other, NULL);
    printf("%p\n", (void*)call);
    if (dlclose(library) != 0) return 2;
  }
  return 0;
}
