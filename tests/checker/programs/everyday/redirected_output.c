// SPDX-License-Identifier: MIT
// stdout and stderr are variables: who assigns to one while another thread prints races with it.
//
// case: printf
// flags: -DPRINTF
// expect: all=data-race says="\(stdout, "
//
// case: printf_of_one_character
// flags: -DPRINTF_OF_ONE
// expect: all=data-race says="\(stdout, "
//
// case: vprintf
// flags: -DVPRINTF
// expect: all=data-race says="\(stdout, "
//
// case: puts
// flags: -DPUTS
// expect: all=data-race says="\(stdout, "
//
// case: putchar
// flags: -DPUTCHAR
// expect: all=data-race says="\(stdout, "
//
// case: perror
// flags: -DPERROR
// expect: all=data-race says="\(stderr, "
//
// case: warn
// flags: -DWARN
// expect: all=data-race says="\(stderr, "
//
// case: warnx
// flags: -DWARNX
// expect: all=data-race says="\(stderr, "
//
// case: with_clang
// flags: -DPUTCHAR
// options: --cc clang-14
// expect: all=data-race says="\(stdout, "
//
// case: that_moves
// flags: -DPRINTF -fPIC
// expect: all=data-race says="\(stdout, "
//
// case: the_other_stream
// flags: -DFPUTS
// expect: all=holds
//
// case: of_what_putc_is_given
// flags: -DPUTC
// expect: all=holds
//
// case: of_what_fputc_is_given
// flags: -DFPUTC
// expect: all=holds
//
// case: in_order
// flags: -DPUTS -DIN_ORDER
// expect: all=holds
#include <err.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>

static FILE* other;

__attribute__((unused)) static void print(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vprintf(format, arguments);
  va_end(arguments);
}

static void* prints(void* unused) {
#if defined(PRINTF)
  printf("%d\n", 1);
#elif defined(PRINTF_OF_ONE)
  printf("\n");
#elif defined(VPRINTF)
  print("%d\n", 1);
#elif defined(PUTS)
  puts("text");
#elif defined(PUTCHAR)
  putchar('x');
#elif defined(PERROR)
  perror("text");
#elif defined(WARN)
  warn("text");
#elif defined(WARNX)
  warnx("text");
#elif defined(FPUTS)
  fputs("text", other);
#elif defined(PUTC)
  putc('x', other);
#else
  fputc('x', other);
#endif
  return unused;
}

int main(void) {
  other = stderr;
  pthread_t thread;
  pthread_create(&thread, NULL, prints, NULL);
#ifdef IN_ORDER
  pthread_join(thread, NULL);
#endif
  FILE* const before = stdout;
  stdout = stderr, stderr = before;
#ifndef IN_ORDER
  pthread_join(thread, NULL);
#endif
  return 0;
}
