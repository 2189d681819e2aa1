/* SPDX-License-Identifier: MIT
 *
 * The C library, from a program in C11, on real threads and processes. Run with the name of a test,
 * or without one for all of them. Time decides nothing: a thread that has to wait is waited for,
 * and what must time out may take as long as it likes, but not less than it was told to. */
#include <stdio.h>
#include <string.h>

#include "check.h"

/* The address sanitizer stops programs that ask for too much memory; this one wants to be told. */
const char* __asan_default_options(void);
const char* __asan_default_options(void) { return "allocator_may_return_null=1"; }
const char* __tsan_default_options(void);
const char* __tsan_default_options(void) { return "allocator_may_return_null=1"; }

void the_version_is_the_headers(void) { CHECK(fencepost_version() == FENCEPOST_VERSION); }

#define TEST(name) void name(void);
#include "tests.h"

#define TEST(name) {#name, name},
static const struct {
  const char* name;
  void (*run)(void);
} tests[] = {
#include "tests.h"
};

int main(int argc, char** argv) {
  int run = 0;
  for (size_t n = 0; n < sizeof tests / sizeof tests[0]; ++n) {
    if (argc > 1 && strcmp(argv[1], tests[n].name) != 0) continue;
    tests[n].run();
    printf("%s: passed\n", tests[n].name);
    ++run;
  }
  return run == 0;
}
