// SPDX-License-Identifier: MIT
// Runs before the checker does. If it can do what it tries, the program crashes.
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

extern long raw(long number, ...) __asm__("syscall");

static char made[4096] __attribute__((unused));

static void early(void) {
  if (raw(ATTACK) >= 0) __builtin_trap();
}

__attribute__((section(".preinit_array"), used)) static void (*first)(void) = early;

int main(void) { return 0; }
