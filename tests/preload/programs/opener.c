/* SPDX-License-Identifier: MIT
 *
 * Opens a library, calls it from threads, and says where the function that it locks with is from.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static int (*count)(void);

static void* call(void* argument) {
  for (int n = 0; n != 1000; ++n) count();
  return argument;
}

int main(void) {
  void* const library = dlopen(OPENED_LATE, RTLD_NOW | RTLD_LOCAL);
  void* const found = library != NULL ? dlsym(library, "count_of_opened_late") : NULL;
  if (found == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  memcpy(&count, &found, sizeof count);
  pthread_t threads[4];
  for (int n = 0; n != 4; ++n) {
    if (pthread_create(&threads[n], NULL, call, NULL) != 0) return 1;
  }
  for (int n = 0; n != 4; ++n) pthread_join(threads[n], NULL);
  Dl_info info;
  if (dladdr(dlsym(RTLD_DEFAULT, "pthread_mutex_lock"), &info) == 0) return 1;
  printf("%d %s\n", count(), info.dli_fname);
  return 0;
}
