/* SPDX-License-Identifier: MIT
 *
 * What lies in the memory of an interrupt clock: the one description of it, for the BPF program
 * that writes the times, for the daemon that fills in the rest, and for every reader. C, without
 * includes, for the BPF program has no C library.
 *
 * The memory is an array of lines of 64 bytes: two lines of header, then a line for each processor
 * that the machine may ever have, by its number. All integers are those of the machine.
 *
 * Who writes what:
 * - the daemon, before it freezes the map: the header and the flags, constants from then on
 * - the BPF program on a processor: its slot
 * - the BPF program on another processor, when it looks at this one: all of the slot but
 *   `interrupts`
 * - the BPF program, wherever it runs: `state`
 *
 * What is compatible: a reader accepts its own version alone. Fields may take the place of reserved
 * ones, which are zero, without a new version if readers do not need them.
 */
#pragma once

enum {
  fencepost_clock_version = 2,
  fencepost_clock_line_size = 64, /* bytes of a line */
  fencepost_clock_first_slot = 2, /* the line of processor 0 */
  fencepost_clock_monotonic = 1,  /* header.clock: CLOCK_MONOTONIC, in nanoseconds */
  fencepost_clock_most_slots = 1 << 16
};

/* header.magic: eight letters, as a little-endian machine reads them. */
static const __UINT64_TYPE__ fencepost_clock_magic = 0x4b4c434e45434e46ull; /* "FNCENCLK" */

/* header.flags */
enum {
  fencepost_clock_vouches = 1 << 0,    /* idle processors are vouched for */
  fencepost_clock_interrupts = 1 << 1, /* interrupts are stamped by the names they have on x86 */
  fencepost_clock_tickless = 1 << 2    /* some processor is nohz_full: it may go uninterrupted */
};

/* slot.flags */
enum { fencepost_clock_slot_tickless = 1 << 0 };

struct fencepost_clock_header {
  __UINT64_TYPE__ magic;
  __UINT32_TYPE__ version;
  __UINT32_TYPE__ line;       /* bytes: fencepost_clock_line_size */
  __UINT32_TYPE__ first_slot; /* lines */
  __UINT32_TYPE__ slots;
  __UINT32_TYPE__ clock;
  __UINT32_TYPE__ flags;
  unsigned char boot_id[16];  /* as in /proc/sys/kernel/random/boot_id */
  __UINT64_TYPE__ generation; /* differs between any two clocks of one boot */
  __UINT32_TYPE__ owner;      /* process that keeps it alive; 0: its links are pinned */
  __UINT32_TYPE__ rescan;     /* nanoseconds between two looks at all processors, at least */
};

struct fencepost_clock_state {
  __UINT64_TYPE__ heartbeat;    /* the last time that anything ran, to within `rescan` and a tick */
  __UINT64_TYPE__ virtual_time; /* advances with each look at all processors; never back */
  __UINT64_TYPE__ told;         /* the earliest stamp that waiters were last told of */
  __UINT64_TYPE__ calls;        /* of the daemon, to wake waiters */
  __UINT64_TYPE__ reserved[4];
};

struct fencepost_clock_slot {
  __UINT64_TYPE__ stamp;      /* a full barrier was executed at this time */
  __UINT64_TYPE__ interrupts; /* how many were counted */
  __UINT64_TYPE__ switches;   /* of threads since the machine started, when last looked at */
  __UINT64_TYPE__ vouched;    /* how often another processor saw this one idle */
  __UINT32_TYPE__ flags;
  __UINT32_TYPE__ reserved;
  __UINT64_TYPE__ noted;         /* the program's own: a time, and the switches until a later one */
  __UINT64_TYPE__ virtual_stamp; /* the virtual time before some full barrier */
  __UINT64_TYPE__ virtual_noted; /* as `noted`, by the virtual clock */
};

union fencepost_clock_line {
  struct fencepost_clock_header header;
  struct fencepost_clock_state state;
  struct fencepost_clock_slot slot;
};

/* Beside the clock, in a map that everybody may write: whether anybody sleeps and wants to be
 * woken. The daemon listens to it less where nobody does sleep. */
struct fencepost_clock_waiters {
  __UINT64_TYPE__ until; /* CLOCK_MONOTONIC; waiters only ever raise it */
  __UINT64_TYPE__ reserved[7];
};

/* And the words on which they sleep, in a file that only the daemon may write, for maps are no
 * place for futexes. A waiter sleeps on the word of the time that it waits for, of so many
 * nanoseconds: who waits for an earlier or a later one is not disturbed. */
enum { fencepost_clock_words = 1024, fencepost_clock_word_shift = 20 };
