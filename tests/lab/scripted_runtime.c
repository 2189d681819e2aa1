// SPDX-License-Identifier: MIT
// A runtime that explores nothing: it does what the environment variable SCRIPT says, one letter
// after the other, so that the tests can show the command line programs that misbehave.
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int results = 1;

static void say(const char* line) { dprintf(results, "%s\n", line); }

static void on_interrupt(int number) {
  (void)number;
  say("{\"type\":\"result\",\"model\":\"sc\",\"verdict\":\"inconclusive\",\"executions\":7,"
      "\"blocked\":1,\"seconds\":0.5,\"reason\":\"interrupted\",\"violation\":null,"
      "\"assumptions\":[]}");
  _exit(2);
}

int main(int argc, char** argv) {
  (void)argc;
  (void)argv;
  const char* check = getenv("FENCEPOST_CHECK");
  const char* fd = check ? strstr(check, "fd=") : NULL;
  if (fd) results = atoi(fd + 3);
  for (const char* step = getenv("SCRIPT"); step && *step; ++step) {
    switch (*step) {
      case 'p':
        say("{\"type\":\"progress\",\"executions\":5,\"blocked\":2,\"seconds\":1.5,"
            "\"estimate\":100}");
        break;
      case 'h':
        say("{\"type\":\"result\",\"model\":\"sc\",\"verdict\":\"holds\",\"executions\":4,"
            "\"blocked\":0,\"seconds\":0.1,\"violation\":null,\"assumptions\":[\"it is so\"]}");
        break;
      case 'g':
        say("{\"type\":\"resu");
        break;
      case 'i':
        signal(SIGINT, on_interrupt);
        break;
      case 'I':
        signal(SIGINT, SIG_IGN);
        break;
      case 's':
        raise(SIGSEGV);
        break;
      case 'o':
        fprintf(stderr, "unknown option\n");
        return 3;
      case 'e':
        fprintf(stderr, "last words\n");
        break;
      case 'v':
        if (getenv("SAID")) say(getenv("SAID"));
        break;
      case 'm':  // says that it has come here
        close(creat(getenv("MARK"), 0600));
        break;
      case 'w':
        for (;;) pause();
      default:
        break;
    }
  }
  return 0;
}

// What the instrumentation of a small program calls.
void __tsan_init(void) {}
void __tsan_func_entry(void* pc) { (void)pc; }
void __tsan_func_exit(void) {}
void __tsan_read8(void* address) { (void)address; }

// What calls of functions without a model are sent to.
void fencepost_refused_call(const char* what) { (void)what; }

// What calls of printf and puts are renamed to.
int fencepost_printf(const char* format, ...) {
  (void)format;
  return 0;
}
int fencepost_puts(const char* s) {
  (void)s;
  return 0;
}
