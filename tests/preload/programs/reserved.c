/* SPDX-License-Identifier: MIT
 *
 * A mutex as fork() may leave it in the child: free, and reserved for a thread of the parent, in
 * the words of include/fencepost/mutex.hpp and futex_mutex.hpp. Prints what trylock says, twice,
 * and destroy.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int count, char** words) {
  if (count != 2) return 2;
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  *(uint32_t*)&mutex = (uint32_t)strtoul(words[1], NULL, 0);
  const pid_t child = fork();
  if (child != 0) {
    int status = 1;
    return child < 0 || waitpid(child, &status, 0) != child || status != 0;
  }
  const int first = pthread_mutex_trylock(&mutex);
  const int second = pthread_mutex_trylock(&mutex);
  const int unlocked = pthread_mutex_unlock(&mutex);
  printf("%d %d %d %d\n", first, second, unlocked, pthread_mutex_destroy(&mutex));
  return 0;
}
