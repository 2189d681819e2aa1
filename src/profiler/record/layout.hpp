// SPDX-License-Identifier: MIT
//
// The file that a program under `fencepost run --stats` keeps what it knows of its locks in: one a
// process, mapped by it and read by lab/fencepost/profile/file.py, also while the program runs and
// after it was killed. Numbers are of the machine that wrote it.
//
// The tables lie one behind another as the header says. What is not used yet is zero and takes no
// room: a table's used entries come first, and its place in the file is allocated as it grows.
// An entry is complete before the header counts it. Numbers 0 of each table mean "none".
//
// A process that has no file, and was executed, leaves a symbolic link PID-TIME.unrecorded in its
// place, whose target is the error number that says why.
//
// Times are of CLOCK_MONOTONIC, in nanoseconds. Counters only grow.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace fencepost::profiler {

using counter = std::atomic<std::uint64_t>;
using number = std::atomic<std::uint32_t>;
using flag = std::atomic<std::uint16_t>;

inline constexpr std::uint64_t magic = 0x32304b434f4c5046;  // "FPLOCK02"

/// Durations by size: entry 0 counts those of 0 ns, entry i those from 2^(i-1) up to 2^i - 1 ns,
/// the last one all that are longer.
using histogram = std::array<counter, 40>;

enum class kind : std::uint32_t {
  none = 0,
  mutex = 1,
  read_write = 2,
  spin = 3,
  condition = 4,
  semaphore = 5,
  /// A word that the program itself has the kernel sleep on: the locks of InnoDB, of Rust.
  futex = 6,
};

/// So many first locks of the table have no address: each is all of the kind of its number that
/// found no entry of their own.
inline constexpr std::uint32_t kinds = 6;

struct table {
  std::uint64_t offset;    // in the file
  std::uint32_t entry;     // bytes of one
  std::uint32_t capacity;  // entries
  number used;             // entries, number 0 among them
  std::uint32_t ready;     // entries that have room in the file: for the recorder alone
};

struct header {
  std::uint64_t magic;
  std::uint32_t pid;
  std::uint32_t parent;       // whose child it was forked off as, or 0 if it was executed
  std::uint64_t began;        // CLOCK_MONOTONIC: when the process began, or this program in it
  std::uint64_t began_real;   // CLOCK_REALTIME
  counter ended;              // CLOCK_MONOTONIC at exit(), or 0: still running, or killed
  number lost_locks;          // addresses of locks that found the table full
  number lost_threads;        // threads that found theirs full, and are not counted
  std::uint64_t sees_sleeps;  // 1 where the locks' sleeps are seen: not inside glibc's own
  table modules;
  table sites;
  table locks;
  table threads;
  table stacks;
  std::array<char, 64> behind;  // the lock that `fencepost run` was told to use
  counter thread_time;          // ns: how long those threads lived that have ended
  number lost_children;         // forked off, and not recorded
  number lost_children_error;   // why the last one of them was not: an error number
  flag is_confined;             // 1: by seccomp, since when the tables have not grown
  flag lost_locks_more;         // 1: `lost_locks` and more, which cannot be told from these
  number late_threads;          // whose beginning was not seen: in `thread_time` in part only
};

/// A file that code was loaded from.
struct module {
  std::uint64_t base;  // address - base is the address in the file
  std::array<char, 504> path;
};

/// A place in the program that called: an address behind the call.
struct site {
  counter address;
  std::uint32_t module;
  std::uint32_t is_standard;  // 1: in C++'s standard library, which waits for its caller
};

/// One lock. Of a read-write lock `acquisitions` are those that have it alone, and the other
/// counters hold for both; of a condition variable, semaphore or futex `contended`, `waited`,
/// `slept`, `sleeps` and `waits` are of its waits.
struct lock {
  counter address;  // 0 in the first ones: `kinds`
  std::uint32_t kind;
  std::uint32_t site;         // where it was initialised, or first used
  std::uint16_t initialised;  // 1 if `site` is where it was initialised
  flag unseen;                // 1: some of its waits may have slept unseen, inside glibc
  number ended;               // 1: destroyed, or another is at its address
  number last;                // the serial number of the thread that had it alone last
  number beyond;              // the tid of the thread that has it alone, where its `held` had no
                              // room; or 0
  counter acquisitions;
  counter shared;     // acquisitions together with others: readers
  counter contended;  // acquisitions that had to wait
  counter handovers;  // acquisitions by another thread than the last
  counter refused;    // tries that found it taken
  counter timed_out;  // waits that ended without it, by their deadline or an error
  counter waited;     // ns, of contended acquisitions and waits that timed out
  counter slept;      // ns of `waited` in the kernel, asleep
  counter sleeps;     // how often
  counter held;       // ns
  counter wakes;      // threads woken by its unlock; notifications, posts
  histogram waits;    // of `waited`
  histogram holds;    // of `held`
  number unmeasured;  // acquisitions of which `held` and `holds` know nothing, for that reason
  std::uint32_t unused;
};

enum class mode : std::uint32_t { alone = 0, shared = 1 };

/// A lock that a thread has.
struct holding {
  number lock;
  std::uint32_t site;  // where it took it
  std::uint64_t since;
  std::uint32_t mode;
  std::uint32_t depth;  // of a recursive one: how often
};

/// A thread. Its own fields are written by it alone.
struct thread {
  number tid;              // 0: the entry is free
  number waits_for;        // a lock, or 0
  std::uint32_t waits_at;  // a site
  std::uint16_t waits_mode;
  std::uint16_t unseen;  // 1: it may have slept unseen, inside glibc
  counter waits_since;
  counter waited;  // ns, in all: waits for mutexes, read-write and spin locks
  counter slept;   // ns, in the kernel's futex for whatever reason
  counter sleeps;
  std::array<char, 16> name;
  number holds;      // entries of `held` that are filled
  number more_held;  // locks that it has beyond those
  std::array<holding, 17> held;
  std::uint64_t handle;  // its pthread_t
  counter joins;         // the pthread_t of the thread whose end it waits for, or 0
  std::uint64_t began;   // when the thread began, where that was seen; or its entry was made
  std::uint32_t serial;  // counts threads: an entry may be used again, its number is not
  number retakes;        // while it waits for a condition variable: the mutex that it needs then
};

/// What led to waits for a lock: the call sites, the innermost first, and 0 behind the last one.
struct stack {
  counter key;     // of lock's site and frames, never 0
  counter waited;  // ns
  counter count;
  std::uint32_t site;  // of the lock
  std::uint32_t kind;
  std::array<std::uint32_t, 24> frames;
};

static_assert(sizeof(table) == 24);
static_assert(sizeof(header) == 264);
static_assert(sizeof(module) == 512);
static_assert(sizeof(site) == 16);
static_assert(sizeof(lock) == 768);
static_assert(sizeof(holding) == 24);
static_assert(sizeof(thread) == 512);
static_assert(sizeof(stack) == 128);

}  // namespace fencepost::profiler
