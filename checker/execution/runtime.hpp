// SPDX-License-Identifier: MIT
// What the program under test does, as operations of its executions (execution.hpp), and the search
// of them all: the program runs once for every graph.
//
// One class, whose functions are in the rooms of the checker by what they do:
// - execution/: accesses, plain (plain_accesses.cpp, races.cpp) and atomic (atomic_accesses.cpp,
//   fences.cpp), and the same where they are quickly done (replay.hpp); threads; what fails before
//   main begins (before_main.cpp), what runs when the process ends (process_end.cpp).
// - memory/: before anybody has written it (allocations.cpp, uninitialised.cpp), freed
//   (lifetimes.cpp) and given out again (reuse.cpp); local variables (scopes.cpp); what main does
//   before there are threads (prefix.cpp).
// - loops/: repeated states (loops.cpp), which of them others have seen (rounds.cpp), loops with
//   counters (spins.cpp, turns.cpp), what of a stack is the thread's own (own_stack.cpp).
// - search/: all executions (search.cpp), shared among processes; identical threads (symmetry.cpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include "execution/execution.hpp"
#include "explore/estimator.hpp"
#include "loops/rounds.hpp"
#include "memory/end_of_life.hpp"
#include "memory/hash.hpp"
#include "memory/prefix.hpp"

namespace fencepost::checker {

class Runtime : public Execution {
 public:
  // ---- life cycle (runtime.cpp, search.cpp)
  void initialise(const Options& options);
  [[noreturn]] void check(int (*program_main)(int, char**, char**), int argc, char** argv,
                          char** envp);

  Estimator estimator{explorer};

  double seconds() const;

  // ---- before_main.cpp
  void constructors_begin();
  void constructors_end();
  // Whether a constructor that fails now is a violation.
  bool fails_before_main() const;
  [[noreturn]] __attribute__((format(printf, 4, 5))) void violate_before_main(const char* kind,
                                                                              std::uint64_t pc,
                                                                              const char* format,
                                                                              ...);

  // ---- the search (search.cpp); by this process, or by a worker of its (worker_pool.hpp,
  // worker.hpp)
  Ended run_once();
  // Counts an execution; false if the exploration is over with it.
  bool tally(Ended how);
  // Runs the graph's execution, which has just ended so, once more: does the same come of it? If
  // not, there is no verdict.
  bool happens_again(Ended how);
  bool find_again(BytesIn* execution);
  void probe();
  void probe_once();
  bool progress_is_due();
  // Says which in `inconclusive`; what is left may then be explored another time. The clock is not
  // for every time.
  bool limit_is_met(const Counters& so_far, bool look_at_clock);
  // After a fork.
  void prepare_worker();

  // ---- prefix.cpp: main makes its first thread
  void end_prefix();

  // ---- atomic_accesses.cpp, plain_accesses.cpp, fences.cpp
  // `may_repeat`: called from an entry point that kept the registers, see loops.cpp.
  Value load(std::uintptr_t address, unsigned size, Order order, std::uint64_t pc, bool may_repeat);
  void store(std::uintptr_t address, unsigned size, Value value, Order order, std::uint64_t pc);
  Value modify(Operation what, std::uintptr_t address, unsigned size, Value operand, Order order,
               std::uint64_t pc);
  bool compare_exchange(std::uintptr_t address, unsigned size, void* expected, Value desired,
                        Order success, Order failure, bool weak, std::uint64_t pc);
  [[gnu::noinline]] Value new_load(std::uintptr_t address, unsigned size, Order order,
                                   std::uint64_t pc, bool may_repeat);
  [[gnu::noinline]] void new_store(std::uintptr_t address, unsigned size, Value value, Order order,
                                   std::uint64_t pc);
  void passed_at_once() {
    if (stack_used == kReplayUses) stack_used = kPassingUses;
  }
  void fence(Order order, std::uint64_t pc);
  // AArch64: an atomic instruction that gives no result. A fence for loads does not order what it
  // reads, so a program with both is refused.
  void adds_without_result(std::uint64_t pc);
  void light_fence(std::uint64_t pc);
  void heavy_fence(std::uint64_t pc);
  std::uint64_t nonatomic_fetch_add(std::uintptr_t address, unsigned size, std::uint64_t operand,
                                    std::uint64_t pc);
  // Did it take more than passing by?
  bool plain(std::uintptr_t address, std::size_t size, bool write, std::uint64_t pc);
  void padding(std::uintptr_t address, std::size_t size, std::uint64_t pc);
  // The next plain access steps aside. By a signal handler.
  void ask_to_step_aside() {
    is_to_step_aside_ = true;
    looks_closely_ = true;
    passes_plain_ = false;
  }
  bool is_to_step_aside() const { return is_to_step_aside_; }
  void step_aside_if_asked() {
    if (!is_to_step_aside_) return;
    is_to_step_aside_ = false;
    step_aside();
  }
  void look_at(std::uintptr_t word, std::size_t size, std::uint64_t pc);

  // ---- lifetimes.cpp
  void freed(std::uintptr_t address, std::size_t size, std::uint64_t pc);
  // ---- allocations.cpp
  // The current thread accesses the block: does it know that it has been allocated?
  void must_know_allocation(const Heap::Block& block, std::uintptr_t address, bool write,
                            const char* what, std::uint64_t pc);
  // ---- uninitialised.cpp
  // What a thread writes to where the program does not read it.
  void prints(const void* text, std::size_t size) {
    const auto* p = static_cast<const unsigned char*>(text);
    std::uint64_t& h = printed_[current->id];
    for (std::size_t i = 0; i < size; ++i) h = mix(h, p[i] + 1U);
  }
  // If the program is only following what is known, it has come to do something else.
  const UnwrittenRead* unwritten_read() const {
    return follows_only_ && !told_of_.empty() ? &told_of_[0] : nullptr;
  }
  void tell_of(const UnwrittenRead& read);
  // A local variable without a first value, in memory; and the value of one in a register.
  void local_is_unwritten(std::uintptr_t address, std::size_t size);
  std::uint64_t unwritten_word(std::uint64_t pc);
  // ---- reuse.cpp
  // A block that was freed, of this size and alignment, if it is to be given out again; nullptr if
  // not.
  void* reuse(std::size_t size, std::size_t alignment, std::uint64_t pc);
  void may_reuse(std::uintptr_t address, std::size_t size, std::uint64_t pc);
  // By a compare-exchange, which expects this.
  void is_compared(std::uint64_t value);
  // Is some memory given out again?
  bool gives_again() const;
  // With what they depend on: Explorer's write and read.
  void write_alternatives(Bytes* out, std::uint32_t count);
  // The execution that has just ended, to be read as one alternative.
  void write_execution(Bytes* out);
  bool read_alternatives(BytesIn* in);
  // ---- scopes.cpp
  void scope_begins(std::uintptr_t address, std::size_t size, std::uint64_t pc);
  // The last beginning or end of a local variable that this byte of a stack belongs to; nullptr if
  // none is known.
  const ScopeLog::Entry* local_at(std::uintptr_t address) const {
    return scopes_[regions::thread_of(address)].last_of(address);
  }
  void scope_ends(std::uintptr_t address, std::size_t size, std::uint64_t pc);
  void variables_end();

  // ---- stack_blocks.cpp
  void stack_saved(std::uintptr_t stack);
  void block_begins(std::uintptr_t address, std::size_t size, std::uint64_t pc);
  void stack_restored(std::uintptr_t stack, std::uint64_t pc);
  void stack_unwound(std::uintptr_t stack, std::uint64_t pc);
  [[gnu::noinline, gnu::cold]] void must_not_be_left(std::uintptr_t address, std::uintptr_t stack,
                                                     std::uint64_t pc);

  // ---- replay.hpp
  template <typename T>
  bool replay_load(const volatile T* p, Order order, std::uint64_t pc, T* value);
  template <typename T>
  bool replay_store(volatile T* p, T value, Order order, std::uint64_t pc);
  template <typename T>
  bool replay_modify(Operation what, volatile T* p, T operand, Order order, std::uint64_t pc,
                     T* old);
  template <typename T>
  bool replay_compare_exchange(volatile T* p, const T* expected, T desired, Order success,
                               Order failure, bool weak, std::uint64_t pc);
  bool replay_fence(Order order, std::uint64_t pc);

  void uses_last(std::uint64_t pc);

  // ---- loops.cpp
  // A hash of everything that decides what the thread does next, apart from shared memory.
  std::uint64_t private_state(std::uint64_t pc);
  // Blocks the thread for good if it is about to repeat an iteration that changed nothing.
  void cut_repetition(std::uint64_t state, std::uint64_t pc);

  // ---- rounds.cpp
  // Passes what the graph says of the round that ends here, if it does.
  void pass_round(std::uint64_t pc) {
    const Thread& t = *current;
    if (t.cursor < t.logged && t.log[t.cursor].what == Operation::another_round) [[unlikely]] {
      settle_plain_writes();
      if (follows_only_) {
        follow_round(pc);
      } else {
        cut_repetition(private_state(pc), pc);
      }
    }
  }
  // With other values in fresh memory the thread's own state is another one.
  void follow_round(std::uint64_t pc);

  // ---- spins.cpp
  // Is the current thread in rounds that are passed at once, or about to be?
  bool is_in_spin() const {
    const Thread& t = *current;
    return t.silent_rounds != 0 ||
           (t.cursor < t.logged && t.log[t.cursor].what == Operation::skipped_rounds);
  }
  bool pass_silently(std::uintptr_t address, unsigned size, std::uint64_t pc, Value* value);
  bool begins_silence(const SpinArrival& arrival);
  void take_arrival(SpinArrival* arrival);
  // 0 if there is none.
  std::uint64_t suggested_spin() const { return spins_.suggested; }
  std::uint32_t seen_with_bound() const { return seen_with_bound_; }

  // ---- turns.cpp: the compiler announces that a loop whose rounds only look turns, or is entered
  // or left.
  void spin_turns();
  void spin_begins();
  void spin_ends();

  // ---- own_stack.cpp
  std::uint64_t hash_own_stack(std::uint64_t h, std::uintptr_t from);
  void believe_private(std::uint32_t since);
  void idle(std::uint64_t pc);
  // Of an atomic access to the current thread's stack, its last event, that found `found` where
  // memory held `before`: has something been written there that was not announced?
  bool written_unannounced(std::uintptr_t address, Value before, Value found);

  // ---- unseen_code.cpp
  // At the beginning and the end of an entry point, where memory is compared.
  void notice_unseen_writes();
  void leave_memory();

  // ---- streams.cpp
  void use_stream(const NotedCall& call);
  std::size_t size_of_stream(std::uintptr_t stream) const;

  // ---- process_end.cpp
  // By atexit and its kin, also before main.
  void at_exit(ExitList list, const ExitHandler& handler, std::uint64_t pc);
  // The destructor of a thread-local object.
  void at_thread_end(const ExitHandler& handler, std::uint64_t pc);
  void begin_main();
  [[noreturn]] void end_process(EndsBy by, int status, std::uint64_t pc);

  // ---- deferred_violations.cpp
  // At the end of an execution: is it one, and what becomes of what was put aside or suspected?
  void judge_execution();

  // ---- leaks.cpp
  // At the end of an execution: heap blocks that nothing leads to any more.
  void judge_leaks();

  bool exited = false;  // exit was called: who is blocked ends with the process
  bool main_returned = false;
  // What the program has done in any execution; see adds_without_result.
  bool load_fences = false;
  bool atomics_without_result = false;

  // What the process was started with.
  struct MainCall {
    int (*function)(int, char**, char**);
    int argc;
    char** argv;
    char** envp;
  };

  bool may_resume();
  bool is_prefix_fixed();
  void look_at_prefix();
  void keep_prefix();
  bool is_prefix_otherwise(const Bytes& kept, std::uintptr_t address);
  void compare_prefix();
  void resume_prefix();
  void forget_prefix();
  void refuse_unordered_reads(std::uint64_t pc);
  static void* call_main(void* nothing);
  [[gnu::noinline]] void look_at_first(std::uintptr_t word, std::size_t size, std::uint64_t pc);
  template <bool Covers>
  bool replay_plain(std::uintptr_t address, std::size_t size, bool write, std::uint64_t pc);
  void cover(Cell* cell, const PlainAccess& access);  // coverage.hpp
  bool replay_covered(std::uintptr_t address, std::size_t size, bool write, std::uint64_t pc);
  [[gnu::noinline]] void plain_and_all(std::uintptr_t address, std::size_t size, bool write,
                                       std::uint64_t pc);
  bool may_replay(unsigned count) const;
  bool is_replayed(EventId source) const;
  const Event* known_access(unsigned ahead, Kind kind, Operation what, std::uintptr_t address,
                            unsigned size, std::uint64_t pc) const;
  template <typename T>
  bool replay_rest(const Event* read, volatile T* p, T value, Operation what, Order order,
                   std::uint64_t pc);
  void same_write(const Event& write, const Event& like, Value value, std::uint64_t pc);
  static void goes_where(Event* write, const Event& read);
  Value whole(EventId id);
  bool has_turned() const { return current->turned_at == current->cursor; }
  bool pass_turn(std::uintptr_t address, unsigned size, Order order, std::uint64_t pc,
                 Value* value);
  void write_value(Event* write, Value value);
  bool begin_anew();
  Cell* plain_cell(std::uintptr_t address, std::uint8_t mask, bool write, bool own,
                   std::uint64_t pc);
  void visit_stack(Cell* cell, std::uintptr_t address, std::uint8_t mask, bool write,
                   std::uint64_t pc);
  std::uint64_t shared_memory() const;
  void find_streams();
  bool runs_at_exit(const ExitHandler& handler);
  void sort_exit_handlers();
  bool knows_that_it_is_alone();
  std::uint64_t known_exit_handlers(ExitList list);
  bool take_exit_handler(ExitList list, ExitHandler* handler, std::uint64_t pc);
  void run_exit_handlers(ExitList list, int status, std::uint64_t pc);
  void object_is_destroyed(const ExitHandler& handler, std::uint64_t pc);
  bool has_exit_handlers();
  void note_handlers_left();
  void keep_for_later();
  bool is_told_again(Ended how);
  void write_size_classes(Bytes* out) const;
  bool is_sample() const;
  bool keeps_round(std::uint32_t start, std::uint64_t pc);
  LocationId lock_of(const Event& e) const;
  bool opens_section(const Event& e) const;
  bool asks_for_lock(const Event& e) const;
  Tried& tried(LocationId lock, unsigned thread);
  std::uint64_t attempts_at(const Tried& t, unsigned number) const;
  void list_rounds();
  bool is_in_vain(EventId e) const;
  void mark_seen_rounds();
  LoopRound* loop_round(EventId e);
  bool could_find_another(EventId attempt, EventId opening);
  void count_rounds(EventId attempt, bool in_round);
  bool has_seen_lock(EventId attempt, EventId last);
  void count_old_states(EventId attempt);
  void count_tries();
  bool comes_again(const SpinArrival& arrival, std::uint32_t index);
  void watch_spin(const SpinArrival& arrival);
  void look_for_spin(std::uintptr_t address, unsigned size, std::uint64_t pc);
  bool round_had_effects(const SpinArrival& arrival, const Spin& spin);
  bool is_next_round(std::uintptr_t address, unsigned size, std::uint64_t pc);
  bool judge_rounds();
  void add_fence(Operation what, Order order, std::uint16_t flags, std::uint64_t pc);
  [[noreturn]] void comes_too_late(const PlainAccess& end, const PlainAccess& access,
                                   std::uintptr_t address, const char* now, std::uint64_t pc);
  void race(const Cell* cell, const PlainAccess& access, std::uintptr_t address, const char* now,
            std::uint64_t pc);
  Heap::Block& heap_block(std::uintptr_t address, const char* what, std::uint64_t pc);
  [[noreturn]] void is_freed(const Heap::Block& block, std::uintptr_t address, const char* what,
                             std::uint64_t pc);
  const Heap::Block& check_heap(std::uintptr_t address, const char* what, std::uint64_t pc);
  [[gnu::noinline]] void come_to_unwritten(Cell* cell, std::uintptr_t address, std::uint8_t mask,
                                           bool write, std::uint64_t pc);
  bool is_fresh(std::uintptr_t address, std::uint8_t mask) const;
  void note_unwritten_read(std::uintptr_t address, std::size_t size, std::uint64_t pc);
  bool is_unwritten(const Object& object, std::uint64_t initial);
  void note_unwritten_values();
  void set_unwritten_values(Heap::Contents contents, std::uintptr_t begin, std::size_t size);
  bool does_otherwise_with(Heap::Contents contents, std::uintptr_t begin, std::size_t size);
  bool unwritten_is_indifferent();
  void come_first(Cell* cell, std::uintptr_t address, const char* what, std::uint64_t pc);
  void must_be_of_a_thread(std::uintptr_t address, const char* what, std::uint64_t pc);
  void keep_outside(Cell* cell, std::uintptr_t address, const Heap::Block& block);
  void life_ends(std::uintptr_t address, std::size_t size, std::uint64_t pc);
  void look_for_users(std::uintptr_t address, std::size_t size, std::uint64_t pc, const char* ends,
                      bool for_good);
  void learn();
  void learn_if_given(const SizeClass& c);
  void use_what_was_learned();
  template <typename Visit>
  void each_offer(std::uint32_t blocks, std::size_t alignment, Visit visit);
  FreedBlock* freed_block(const FreedOffer& offer, std::uint32_t blocks);
  void wait_for_free(const FreedOffer& offer, std::uint32_t blocks, std::uint64_t pc);
  bool waits_for_memory() const;
  bool somebody_met_bound() const;
  bool is_done_with_bound(bool more);
  void lives_again(const Heap::Block& block, std::size_t before, std::uint64_t pc);
  void must_be_in_scope(std::uintptr_t address, const char* what, std::uint64_t pc);
  void enter_end(Cell* cell, std::uintptr_t address, const EndOfLife& end);
  void plain_meets_atomic(Cell* cell, std::uintptr_t address, unsigned mask, bool write,
                          std::uint64_t pc);
  void check_atomic_access(std::uintptr_t address, unsigned size, bool write, std::uint64_t pc);

  MainCall main_call_{};
  Prefix prefix_{};
  bool runs_whole_ = false;  // the next execution, from the beginning of main on
  SizeClass size_classes_[SizeClass::kClasses] = {};  // reuse.cpp
  Array<UnwrittenRead> unwritten_reads_;              // in this execution
  Array<UnwrittenRead> told_of_;                      // in the one that is followed
  Array<UnwrittenValue> unwritten_values_;
  Array<UnwrittenLocal> unwritten_locals_;   // so far in this execution, be they alive or not
  std::uint64_t printed_[kMaxThreads] = {};  // a hash of what each thread has written out
  Array<Shown> shown_;
  Array<Tried> tried_;
  Array<LoopRound> rounds_;      // of the execution that has ended,
  Array<EventId> attempts_;      // ... and attempts at locks in it
  bool lock_was_tried_ = false;  // in this execution
  struct Extent {
    std::uintptr_t address;
    std::size_t size;
  };
  Extent standard_streams_[8] = {};
  Array<Extent> images_;           // of the program and its libraries
  std::uint64_t memory_left_ = 0;  // a hash of memory as the program was left with it
  // In samples: a hash of the plain accesses of an execution, thread by thread.
  bool tracing_ = false;
  bool passes_plain_ = true;    // neither that, nor is it noted what has been read
  bool looks_closely_ = false;  // tracing, with twins, or to step aside: at every plain access
  bool is_to_step_aside_ = false;
  std::uint64_t trace_[kMaxThreads] = {};
  std::uintptr_t own_thread_pointer_ = 0;
  Array<EndOfLife> destroyed_;              // static objects, in this execution
  Array<ExitHandler> started_with_[2];      // registered before main; by ExitList
  Array<ExitHandler> thread_started_with_;  // of main's thread
  unsigned ending_ = kMaxThreads;           // the thread that runs them
  double started_ = 0;
  bool constructing_ = false;  // static objects, before main
  double last_progress_ = 0;
  std::uint64_t seen_before_ = 0;  // executions of former sittings
};

extern Runtime runtime;

}  // namespace fencepost::checker
