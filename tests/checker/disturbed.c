// SPDX-License-Identifier: MIT
// Seven additions in every order (5,040 executions), disturbed from inside: whoever finds a file
// called "kill" or "interrupt" in the folder DISTURB removes it and sends that signal, to itself if
// it is not the first process, or to the first one. So a process dies, or is interrupted, in the
// middle of its work, however fast or slow the machine is. The checker knows nothing of the calls
// that do it.
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static atomic_int x;
static pid_t first_process;

// getpid() has the same answer in every process that explores.
static pid_t process(void) {
  char text[16] = "";
  return readlink("/proc/self", text, sizeof text - 1) < 0 ? 0 : atoi(text);
}

__attribute__((constructor)) static void remember(void) { first_process = process(); }

static int found(const char* name) {
  const char* folder = getenv("DISTURB");
  char path[512];
  if (folder == NULL) return 0;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return unlink(path) == 0;
}

static void disturb(void) {
  if (found("interrupt")) kill(first_process, SIGINT);
  if (process() != first_process && found("kill")) kill(process(), SIGKILL);
}

static void* add(void* is_last) {
  const int before = atomic_fetch_add_explicit(&x, 1, memory_order_relaxed);
  if (is_last != NULL && before == 3) disturb();
  return NULL;
}

int main(void) {
  pthread_t threads[7];
  for (int i = 0; i < 7; i++) pthread_create(&threads[i], NULL, add, i == 6 ? &x : NULL);
  for (int i = 0; i < 7; i++) pthread_join(threads[i], NULL);
  return 0;
}
