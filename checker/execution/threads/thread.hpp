// SPDX-License-Identifier: MIT
// A thread of the program under test: a fiber on a stack of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "graph/graph.hpp"
#include "memory/few_bytes.hpp"

namespace fencepost::checker {

enum class ThreadState : std::uint8_t {
  absent,   // not created in this execution
  ready,    // can run
  waiting,  // replay: waits until another thread has reached an event
  blocked,  // cannot go on unless something happens
  aside,    // lets the others go as far as they can
  queued,   // waits until a lock is free, or nobody else can go on
  finished,
};
inline constexpr unsigned kThreadStates = static_cast<unsigned>(ThreadState::finished) + 1;

enum class Block : std::uint8_t {
  none,
  join,        // another thread's end
  futex,       // a futex wake-up
  condition,   // a signal on a condition variable
  mutex,       // reads that the mutex is held
  spin_lock,   // the same of a spin lock
  read_lock,   // reads that somebody writes, or waits to
  write_lock,  // reads that somebody reads or writes
  semaphore,   // reads zero
  barrier,     // others that have not arrived
  latch,       // others that have not counted it down
  future,      // reads that its state is not ready
  memory,      // that is to be freed
  spin,        // repeats itself
  retry,       // does what it does elsewhere without a failed attempt: retries.cpp
  bound,       // has as many events as it is to have: few_events.cpp
  violation,   // did wrong, if this execution exists: deferred_violations.cpp
  assumption,  // was to assume what does not hold
  together,    // does what it does elsewhere with another mutex first: locks/together.cpp
};

// What decides of the way that a thread goes behind a failed attempt (execution/loops/retries.cpp).
enum class RetryWay : std::uint8_t { other, by_what_is_found, by_failure };

// Of a loop whose rounds only look (turns.cpp): what was announced last.
enum class Turn : std::uint8_t {
  none,    // that one was left
  begun,   // a round begins
  same,    // ... after one that made one event
  passed,  // ... and its load was passed
};

// Something to be called at the end, of a thread or of the process.
struct ExitHandler {
  void (*function)(void*);
  void* object;
  void (*by_status)(int, void*) = nullptr;  // in the place of `function`, by on_exit
};

struct Thread {
  unsigned id;
  ThreadState state;
  Block block;
  bool detached;
  bool joined;
  bool daemon;                       // has said that it may wait for ever
  bool ends_process;                 // in exit, or after main
  bool block_timed;                  // it waits, or looks again and again, with a time limit
  std::uint32_t variables_ended_at;  // how many events it had, and 1; 0: they are there
  std::uint32_t calls_noticed;       // of functions in libraries that may have changed something
  bool stepped_aside;                // once in this execution
  bool comes_last;                   // to a lock that stays taken, for nobody else can go on
  bool has_fenced;                   // has had a fence of C++'s, in this execution,
  bool has_failed;                   // ... and an attempt at a lock that failed
  bool has_pending;  // has announced plain writes to atomic objects: Execution::pending_
  void* stack_pointer;
  std::uintptr_t stack_low;
  std::uintptr_t stack_top;
  std::uintptr_t thread_pointer;
  std::uintptr_t deepest_stack;  // the lowest stack pointer at which states were compared
  std::uintptr_t deepest_write;  // the lowest place on its stack that it has written plainly

  void* (*entry)(void*);
  void* argument;
  void* result;
  std::uint64_t floating_point;  // the state that it begins with, of the thread that starts it
  EventId created_by;

  Event* log;            // the thread's events in the graph as the execution began,
  std::uint32_t logged;  // how many they were,
  std::uint32_t known;   // and how many of them need no more than a look (replay.hpp)
  std::uint32_t cursor;  // events of the graph that this execution has passed
  // Names the state in which the thread has left everything outside its own stack: every change
  // gives a new number. A critical section that changes nothing else gives back the number before
  // it.
  std::uint32_t effects;
  std::uint32_t effect_serial;  // the last number given
  unsigned written_count;       // see `written`; kMostWritten + 1: more than that
  std::uint64_t written_at;     // the place of the last plain write outside its own stack
  std::uint32_t accessed_at;    // how many events it had as it last used memory in a plain way
  unsigned section_count;
  bool overlaps;      // one was left just now within which another was begun, which goes on
  EventId waits_for;  // replay: the event to wait for; join: the thread's id in `thread`
  std::uint64_t block_pc;
  std::uint64_t block_object;  // address of what it waits for; number of the thread joined
  LocationId block_location;
  std::uint64_t block_missing;  // arrivals that a barrier waits for, what a latch is at
  std::uint32_t loop_start;     // first event of the iteration that repeats itself
  std::uint32_t idle_yields;
  std::uint32_t silent_rounds;    // to come that are passed at once (spins.cpp)
  std::uint32_t known_otherwise;  // ... and `known` after them
  // What was announced when the thread had so many events; and how many loads were passed then.
  std::uint32_t turned_at;
  std::uint32_t turns_at;
  std::uint32_t turns;
  Turn turn;
  // Where the events of a loop of attempts begin, and whether with a load (retries.cpp).
  std::uint32_t retry_at;
  bool retry_is_loaded;
  RetryWay retry_way;
  int retry_loop;
  std::uint32_t unordered_depth;  // of calls, from one on that is to order nothing
  std::uintptr_t last_use;        // a word that it uses once more before its wait returns, or 0
  const void* shared_pointer;     // whose lock it holds (interface/cxx_library/shared_pointers.cpp)

  std::uint64_t clock_ns;
  std::uint32_t clock_read_at;     // how many events it had when it last read a clock,
  std::uint32_t idle_clock_reads;  // and how often it has since done nothing else
  bool clock_read;
  std::uint32_t random;  // the state of rand()
  std::uint32_t drawn;   // how many of the system's random numbers
  std::uint8_t timeouts_taken;
  std::uint8_t passed_limits;  // that it waited with, and was told of
  std::uint8_t spurious_taken;
  std::uint8_t weak_failures_taken;
  std::uint8_t reuses_taken;
  std::size_t stack_wanted;  // by its attributes, 0: none in particular
  unsigned loop_count;       // see `loops`

  // Valid up to section_count and written_count: they are not cleared for every execution. What is
  // ends with a cache line, as clear_few() likes it.
  static constexpr std::uint32_t kOverlapped = ~0U;
  struct Section {
    LocationId lock;
    std::uint32_t before;
    std::uint32_t inside;
  };
  alignas(64) Section sections[16];
  // What it has written plainly since the last event by which others could learn of it: words, and
  // the bytes of each.
  static constexpr unsigned kMostWritten = 16;
  struct Written {
    std::uintptr_t word;
    std::uint8_t mask;
  } written[kMostWritten];
  // Loops that it is in, of the outermost function first, where these may turn only so often.
  static constexpr unsigned kMostLoops = 128;
  struct Loop {
    std::uintptr_t frame;
    std::uint32_t number;  // in the function
    std::uint32_t turns;   // after rounds with an event
    std::uint32_t at;      // how many events the thread had when it last turned
  } loops[kMostLoops];

  // As another was: all of it that counts.
  void resume(const Thread& kept) {
    copy_few(this, &kept, offsetof(Thread, sections));
    copy_few(sections, kept.sections, section_count * sizeof(Section));
    const unsigned known = written_count < kMostWritten ? written_count : kMostWritten;
    copy_few(written, kept.written, known * sizeof(Written));
    copy_few(loops, kept.loops, loop_count * sizeof(Loop));
  }
  void uses_memory() { accessed_at = cursor; }
  void effect() {
    effects = ++effect_serial;
    shows_writes();
  }
  // What it writes from now on others may learn of apart from what it has written before.
  void shows_writes() { written_count = 0; }
  // A plain write to bytes of a word that others may access, too. To write the same bytes once more
  // is no further effect: what lies there now is part of the thread's state (loops.cpp).
  void writes_plainly(std::uintptr_t word, std::uint8_t mask, std::uint64_t pc) {
    written_at = pc;
    for (unsigned i = 0; i < written_count && written_count <= kMostWritten; ++i) {
      if (written[i].word != word) continue;
      if ((mask & ~written[i].mask) == 0) return;
      written[i].mask |= mask;
      effects = ++effect_serial;
      return;
    }
    if (written_count < kMostWritten) written[written_count] = {word, mask};
    if (written_count <= kMostWritten) ++written_count;
    effects = ++effect_serial;
  }
  // Passing an event that the graph has.
  void repeat(const Event& e) {
    shows_writes();
    effects = e.effects;
    if (effects > effect_serial) effect_serial = effects;
    if (overlaps) sections[section_count - 1].inside = effects;
    overlaps = false;
  }
  void enter_section(LocationId lock, std::uint32_t before) {
    overlaps = false;
    if (section_count < 16) sections[section_count++] = {lock, before, effects};
  }
  // Before repeat(), where the graph has the event.
  void leave_section(LocationId lock) {
    overlaps = false;
    unsigned i = section_count;
    while (i-- > 0 && sections[i].lock != lock) {
    }
    if (i >= section_count) return effect();
    const Section left = sections[i];
    const bool nothing_done = effects == sections[section_count - 1].inside;
    --section_count;
    std::memmove(sections + i, sections + i + 1, (section_count - i) * sizeof left);
    if (i == section_count && nothing_done && left.before != kOverlapped) {
      effects = left.before;
      return;
    }
    effect();
    if (i == section_count || !nothing_done) return;
    // The next one goes on with what this one has begun (as of std::scoped_lock, which unlocks in
    // the order in which it has locked); what lies between those above is not known any more.
    for (unsigned k = i; k < section_count; ++k) {
      sections[k].before = k == i ? left.before : kOverlapped;
    }
    sections[section_count - 1].inside = effects;
    overlaps = true;
  }
};

// Has every thread that the current one can know of ended, as it knows?
bool knows_that_it_is_alone();

}  // namespace fencepost::checker
