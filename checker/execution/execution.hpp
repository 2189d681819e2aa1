// SPDX-License-Identifier: MIT
// One execution of the program under test, of which the graph has the beginning or nothing at all:
// first along the events that the graph has, then beyond them, one new event at a time, always by
// the thread with the lowest number that can go on (so that what is added next depends on the graph
// alone).
//
// Files: execution.cpp how it is begun and left · scheduling.cpp whose turn it is · threads.cpp ·
// events.cpp passing and adding events · objects.cpp, mixed_size.cpp what events are of ·
// deferred_violations.cpp what is found in an execution that may turn out not to exist ·
// before_main.cpp, process_end.cpp · accesses/ plain and atomic ones, and fences.
#pragma once

#include <cstddef>
#include <cstdint>

#include "execution/counters.hpp"
#include "execution/endings.hpp"
#include "execution/listener.hpp"
#include "execution/options.hpp"
#include "execution/threads/symmetry.hpp"
#include "execution/threads/thread.hpp"
#include "execution/violation.hpp"
#include "explore/explorer.hpp"
#include "machine/machine.hpp"
#include "machine/stack_use.hpp"
#include "memory/heap.hpp"
#include "memory/shadow.hpp"
#include "memory/snapshot.hpp"

namespace fencepost::checker {

class Execution {
 public:
  bool active = false;  // an execution is going on; otherwise entry points act directly
  bool in_program = false;
  // Blocks that libraries have allocated for themselves and not given back.
  std::uint64_t library_blocks = 0;
  std::uint64_t entered_from = 0;  // where the program called what is under way, or did so last
  Thread* current = nullptr;
  Thread threads[kMaxThreads] = {};
  unsigned thread_count = 0;
  Options options;
  Listener* listener = nullptr;  // from the start of the process on
  Explorer explorer;
  Heap heap;
  Shadow shadow;
  Snapshot snapshot;
  Symmetry symmetry;
  Violation violation{};
  const char* inconclusive = nullptr;  // why there is no verdict
  bool can_go_on = false;              // but the exploration can go on from here
  // Ends the exploration, which can go on from here another time.
  void stop_for_now(const char* reason) {
    inconclusive = reason;
    can_go_on = true;
  }
  std::uint64_t inconclusive_pc = 0;
  bool begins_anew = false;  // the search does, after this execution
  bool is_worker = false;  // explores a part of the search for another process, and cannot do that
  Ended ended = Ended::complete;

  Counters counters{};
  volatile bool interrupted = false;
  volatile std::uint64_t heartbeat = 0;    // goes up with every event
  std::uint32_t stack_used = kReplayUses;  // of the program's stack, by the call that is under way
  std::uintptr_t own_thread_pointer = 0;

  // Is this the program's: its data, heap, stacks or thread-local variables?
  bool is_program_memory(std::uintptr_t address) const { return shadow.covers(address); }
  Graph& graph() { return explorer.graph(); }

  // ---- execution.cpp
  // Along the graph, with no thread yet.
  void begin();
  // Leaves the current execution for good.
  [[noreturn]] void stop_execution();
  [[noreturn]] void drop_execution();
  // ... and the search begins anew.
  [[noreturn]] void start_over();
  // A violation at `pc`; the execution ends.
  [[noreturn]] __attribute__((format(printf, 4, 5))) void violate(const char* kind,
                                                                  std::uint64_t pc,
                                                                  const char* format, ...);
  // Something that the checker does not understand: no verdict.
  [[noreturn]] __attribute__((format(printf, 3, 4))) void unsupported(std::uint64_t pc,
                                                                      const char* format, ...);

  // ---- scheduling.cpp
  // Who goes on now; nullptr if nobody can.
  Thread* pick();
  // From the scheduler's stack to the thread's, until it comes back.
  void go_on_with(Thread& thread);
  void switch_to_scheduler();
  void give_way();
  // The thread has long done nothing that others could notice: they go on as far as they can, if
  // they have not done so before. If it waits for a plain write of theirs, that is a race.
  void step_aside();
  void block(Block why, std::uint64_t pc, std::uint64_t object, LocationId location);
  void wake(Thread& thread);
  void set_state(Thread& thread, ThreadState state) {
    const std::uint64_t bit = std::uint64_t{1} << thread.id;
    in_[static_cast<int>(thread.state)] &= ~bit;
    in_[static_cast<int>(state)] |= bit;
    thread.state = state;
  }
  // The threads in that state, a bit each.
  std::uint64_t in(ThreadState state) const { return in_[static_cast<int>(state)]; }

  // ---- threads.cpp
  Thread& spawn(const Birth& birth, std::uint64_t pc);
  void start_thread(Thread& thread, std::uint64_t floating_point = floating_point_state());
  // The thread's first event.
  [[gnu::noinline]] void begin_thread();
  [[noreturn]] void finish_thread(void* result);
  void run_thread_destructors();
  // Is nothing else to be looked at when an access is passed that the graph has?
  bool passes_quickly() const;
  void (*key_destructors)() = nullptr;  // of thread-specific data, which are the interface's

  // ---- events.cpp
  // While the thread repeats what the graph has: its next event, after those that it depends on
  // have been passed too; checks that the program does the same again. nullptr: it is beyond the
  // graph.
  Event* replay(Kind kind, Operation what, std::uint64_t pc);
  // The program does the same again, or there is no verdict.
  void same(bool is_same, std::uint64_t pc) {
    if (!is_same) [[unlikely]]
      not_the_same(pc);
  }
  [[noreturn]] void not_the_same(std::uint64_t pc);
  // Of who passes what the graph has in the shortest way (replay.hpp).
  [[gnu::noinline]] void wait_in_passing(EventId source);
  static constexpr char kNotTheSame[] =
      "the program does not do the same again when it is run again with the same values read: does "
      "it use uninitialised memory, addresses, or something outside itself?";
  // Passes the thread's next event, of Kind::join, if the graph has it.
  bool repeats(Operation what, std::uint64_t pc);
  // Waits until it is this thread's turn to add an event; if that is to take a lock, the one word
  // of a hidden object which is 0 while nobody holds it, until that is so or nobody else can go on
  // (explore/overtaking.cpp).
  void before_new_event(std::uint64_t pc, LocationId lock = kNoLocation);
  EventId last_event() { return event_id(current->id, current->cursor - 1); }
  Graph::Clock clock() { return graph().hb(last_event()); }

  std::uint32_t choose(Operation what, std::uint32_t options, std::uint64_t pc);
  // One more event of this thread, which comes after one of another thread.
  void come_after(Operation what, EventId earlier, std::uint64_t pc, std::uint16_t flags = 0);
  // `e` has what is known of it filled in; the rest follows.
  std::uint64_t read_event(Event& e, const MixedSize* mixed = nullptr);
  void write_event(Event& e, const MixedSize* mixed = nullptr);

 private:
  void wait_for(EventId source);
  [[noreturn]] void goes_on_and_on(std::uint64_t pc);
  Thread* cannot_go_on();
  void* enter(Thread& thread);
  void note_if_unfinished(const Thread& t);
  bool lets_others_go_first(EventId last);
  void queue_at(LocationId lock);
  bool is_taken(LocationId lock);
  bool is_queued_at(LocationId lock) const;
  void let_queued_go_on();
  Thread* last_to_go_on();

  bool replaying_ = false;
  unsigned repeated_ = 0;  // threads with lower numbers have passed all that the graph has of them
  // Threads, a bit each: in each state; and in the middle of an operation, which is not kept during
  // the replay.
  std::uint64_t in_[kThreadStates] = {};
  std::uint64_t unfinished_ = 0;
  int turn_ = -1;  // the thread that may add events without asking
  void* scheduler_stack_ = nullptr;
};

extern Execution execution;

}  // namespace fencepost::checker
