/* SPDX-License-Identifier: MIT
 *
 * Uses of the dynamic linker that a lock may not disturb. Opens the library that it is given; and,
 * given none, one that is not there, of which dlerror() tells after locks were used.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

int main(int count, char** words) {
  alarm(300);
  void* const library = dlopen(count == 2 ? words[1] : "/not/there.so", RTLD_NOW);
  pthread_mutex_t mutex;
  pthread_mutex_init(&mutex, NULL);
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  pthread_mutex_destroy(&mutex);
  const char* const trouble = dlerror();
  puts(library != NULL ? "opened" : trouble != NULL ? trouble : "nothing is told");
  return 0;
}
