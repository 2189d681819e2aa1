// SPDX-License-Identifier: MIT
// One execution of the program under test, of which the graph has the beginning or nothing at all:
// first along the events that the graph has, then beyond them, one new event at a time, always by
// the thread with the lowest number that can go on (so that what is added next depends on the graph
// alone).
//
// Files: execution.cpp how it is left · scheduling.cpp whose turn it is · threads.cpp · events.cpp
// passing and adding events · mixed_size.cpp memory that is accessed in different sizes ·
// deferred_violations.cpp what is found in an execution that may turn out not to exist.
#pragma once

#include <cstddef>
#include <cstdint>

#include "execution/endings.hpp"
#include "execution/listener.hpp"
#include "execution/objects.hpp"
#include "execution/thread.hpp"
#include "execution/values.hpp"
#include "execution/violation.hpp"
#include "explore/explorer.hpp"
#include "loops/unseen_code.hpp"
#include "machine/machine.hpp"
#include "machine/stack_use.hpp"
#include "memory/heap.hpp"
#include "memory/shadow.hpp"
#include "memory/snapshot.hpp"
#include "search/counters.hpp"
#include "search/options.hpp"
#include "search/symmetry.hpp"

namespace fencepost::checker {

class Execution {
 public:
  bool active = false;  // an execution is going on; otherwise entry points act directly
  bool in_program = false;
  std::uint64_t entered_from = 0;  // where the program called what is under way, or did so last
  Thread* current = nullptr;
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
  std::uint64_t inconclusive_pc = 0;

  Counters counters{};
  volatile bool interrupted = false;
  volatile std::uint64_t heartbeat = 0;    // goes up with every event
  std::uint32_t stack_used = kReplayUses;  // of the program's stack, by the call that is under way

  // Is this the program's: its data, heap, stacks or thread-local variables?
  bool is_program_memory(std::uintptr_t address) const { return shadow.covers(address); }
  Thread& thread(unsigned id) { return threads_[id]; }
  unsigned thread_count() const { return thread_count_; }
  Graph& graph() { return explorer.graph(); }

  // ---- execution.cpp
  // Leaves the current execution for good.
  [[noreturn]] void stop_execution();
  [[noreturn]] void drop_execution();
  // A violation at `pc`; the execution ends.
  [[noreturn]] __attribute__((format(printf, 4, 5))) void violate(const char* kind,
                                                                  std::uint64_t pc,
                                                                  const char* format, ...);
  // Two accesses that the graph's happens-before does not order.
  __attribute__((format(printf, 8, 9))) void suspect(const char* kind, const PlainAccess& earlier,
                                                     const PlainAccess& now, bool atomic,
                                                     std::uintptr_t address, std::uint64_t pc,
                                                     const char* format, ...);
  // Something that the checker does not understand: no verdict.
  [[noreturn]] __attribute__((format(printf, 3, 4))) void unsupported(std::uint64_t pc,
                                                                      const char* format, ...);
  Ended ended = Ended::complete;

  // ---- threads.cpp
  Thread& spawn(const Birth& birth, std::uint64_t pc);
  // The thread's first event.
  [[gnu::noinline]] void begin_thread();
  [[noreturn]] void finish_thread(void* result);
  void run_thread_destructors();
  void (*key_destructors)() = nullptr;  // of thread-specific data, which are the interface's

  // ---- events.cpp
  // While the thread repeats what the graph has: its next event, after those that it depends on
  // have been passed too; checks that the program does the same again. nullptr: it is beyond the
  // graph.
  Event* replay(Kind kind, Operation what, std::uint64_t pc);
  // The program does the same again, or there is no verdict: of the event that replay gave, at
  // `location` (at the address of an atomic object); of a write, with this value.
  void same(bool is_same, std::uint64_t pc) {
    if (!is_same) [[unlikely]]
      not_the_same(pc);
  }
  void same_object(const Event& e, std::uintptr_t address, unsigned size, std::uint64_t pc) {
    const Object& o = objects_[e.location];
    same(o.address == address && e.size == size && o.kind == ObjectKind::atomic, pc);
    if (looks_at_initial_values_) [[unlikely]]
      look_at_initial_values(e, pc);
  }
  // Of where the event is the first to come to: does the graph have what is there?
  void look_at_initial_values(const Event& e, std::uint64_t pc);
  bool is_first_at(LocationId id);
  // Is the event one of this word of a lock or a queue?
  bool is_of_word(const Event& e, ObjectKind kind, std::uintptr_t address, unsigned word) const {
    const Object& o = objects_[e.location];
    return o.address == address && o.kind == kind && (kind != ObjectKind::rwlock || o.size == word);
  }
  void same_word(const Event& e, ObjectKind kind, std::uintptr_t address, unsigned word,
                 std::uint64_t pc) {
    same(is_of_word(e, kind, address, word), pc);
  }
  [[noreturn]] void not_the_same(std::uint64_t pc);
  static constexpr char kNotTheSame[] =
      "the program does not do the same again when it is run again with the same values read: does "
      "it use uninitialised memory, addresses, or something outside itself?";
  // Passes the thread's next event, of Kind::join, if the graph has it.
  bool repeats(Operation what, std::uint64_t pc);
  // Waits until it is this thread's turn to add an event.
  void before_new_event(std::uint64_t pc);
  [[noreturn]] void goes_on_and_on(std::uint64_t pc);
  EventId last_event() { return event_id(current->id, current->cursor - 1); }
  Graph::Clock clock() { return graph().hb(last_event()); }
  void switch_to_scheduler();
  void give_way();
  // The thread has long done nothing that others could notice: they go on as far as they can, if
  // they have not done so before. If it waits for a plain write of theirs, that is a race.
  void step_aside();
  void block(Block why, std::uint64_t pc, std::uint64_t object, LocationId location);
  void wake(Thread& thread);
  void set_state(Thread& thread, ThreadState state) {
    const std::uint64_t bit = std::uint64_t{1} << thread.id;
    thread.state = state;
    ready_ = state == ThreadState::ready ? ready_ | bit : ready_ & ~bit;
    blocked_ = state == ThreadState::blocked ? blocked_ | bit : blocked_ & ~bit;
  }

  std::uint32_t choose(Operation what, std::uint32_t options, std::uint64_t pc);
  LocationId add_object(std::uintptr_t address, unsigned size);
  LocationId locate(std::uintptr_t address, unsigned size, std::uint64_t pc, std::uint8_t* more);
  // The size of the atomic object that the program has at the address, 0 if it never had one there.
  unsigned atomic_size(std::uintptr_t address);
  // The object of 8 bytes that the program has accessed and that a futex word is half of, or 0.
  LocationId wide_location(std::uintptr_t futex_word);
  LocationId hidden(ObjectKind kind, std::uintptr_t address);
  // The object that another process calls by another number.
  LocationId adopt(const Place& place);
  const Object& object(LocationId id) const { return objects_[id]; }
  // `e` has what is known of it filled in; the rest follows.
  std::uint64_t read_event(Event& e, const MixedSize* mixed = nullptr);
  void write_event(Event& e, const MixedSize* mixed = nullptr);
  Places places();

  // ---- mixed_size.cpp
  // Is this a piece of memory that is accessed in different sizes?
  bool is_cut(LocationId id);
  std::uint32_t kind_and_cuts(LocationId id);

  // ---- deferred_violations.cpp
  // Does the model admit the execution as far as it has gone?
  bool certain();
  // Stops the thread that has done wrong until the execution is over.
  [[noreturn]] void defer();

  // ---- plain_accesses.cpp
  void expect_plain_write(const PendingWrite& write) {
    pending_[current->id].push_back(write);
    current->has_pending = true;
  }
  // ... and calls, unseen_code.cpp: what the thread has done since its last operation.
  void settle_plain_writes() {
    if (fencepost_unseen_calls != 0) [[unlikely]]
      notice_calls();
    if (current->has_pending) pick_up_plain_writes();
  }

  bool passes_quickly() const;
  Thread* pick();
  Thread* cannot_go_on();
  void* enter(Thread& thread);
  void note_if_unfinished(const Thread& t);
  bool lets_others_go_first(EventId last);
  void start_thread(Thread& thread);
  void come_after(Operation what, EventId earlier, std::uint64_t pc, std::uint16_t flags = 0);
  void show_objects(Graph& graph);
  void pick_up_plain_writes();
  CutBlock* block_at(std::uintptr_t address);
  void number_pieces(CutBlock& block);
  static constexpr unsigned kCutsShift = 8;
  LocationId adopt_piece(std::uintptr_t address, std::uint32_t cuts);
  void cut_block(std::uintptr_t address, std::uint32_t cuts);
  [[noreturn]] void cut_memory(std::uintptr_t address, unsigned size, std::uint64_t pc);
  [[noreturn]] void start_over();
  LocationId pieces_at(std::uintptr_t address, unsigned size, std::uint64_t pc, std::uint8_t* more);
  void place_access(Event* e, std::uintptr_t address, unsigned size, std::uint64_t pc);
  void clashes_with(const PlainAccess& earlier, std::uintptr_t address);
  bool unordered(const DeferredRace& s);
  bool is_known(const DeferredRace& s);

  Thread threads_[kMaxThreads] = {};
  Array<PendingWrite> pending_[kMaxThreads];
  unsigned thread_count_ = 0;
  bool replaying_ = false;
  unsigned repeated_ = 0;  // threads with lower numbers have passed all that the graph has of them
  // Sets of threads, a bit each.
  std::uint64_t ready_ = 0;
  std::uint64_t blocked_ = 0;
  std::uint64_t unfinished_ = 0;  // in the middle of an operation; not kept during the replay
  int turn_ = -1;                 // the thread that may add events without asking
  // The graph is gone through to see whether others have told the truth.
  bool looks_at_initial_values_ = false;
  Array<LocationId> known_initial_;  // looked at in this execution
  void* scheduler_stack_ = nullptr;
  Array<Object> objects_;
  Array<CutBlock> blocks_;
  bool begin_anew_ = false;
  static constexpr std::uint32_t kNoBound = ~0U;
  std::uint32_t bound_ = Execution::kNoBound;  // events that a thread may have for now
  bool bounded_ = false;                       // ... or else bounds are tried when one has them
  unsigned doublings_ = 0;                     // of the bound
  std::uint32_t seen_with_bound_ = 0;          // all executions were explored with this one
  void meet_bound(std::uint64_t pc);
  struct HiddenSlot {
    std::uintptr_t key;
    LocationId id;
  };
  Array<HiddenSlot> hidden_;
  std::uint32_t hidden_used_ = 0;
  Array<LocationId> heap_locks_;                // hidden objects that somebody may hold or sleep on
  Array<ExitHandler> registered_[kMaxThreads];  // by each thread in this execution
  bool objects_moved_ = false;  // the shadow may speak of objects of another execution
  Violation deferred_{};
  Array<DeferredRace> deferred_races_;
};

}  // namespace fencepost::checker
