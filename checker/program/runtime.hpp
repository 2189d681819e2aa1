// SPDX-License-Identifier: MIT
// Runs the program under test, once for every graph: first along the events that the graph already
// has, then beyond them, one new event at a time, always by the thread with the lowest number that
// can go on (so that what is added next depends on the graph alone).
//
// Files: runtime.cpp scheduling and the life of an execution · events.cpp passing and adding events
// · accesses.cpp atomic and plain accesses · lock_words.cpp mutexes, semaphores ·
// read_write_locks.cpp · passing.hpp the same, where that is quickly done · barriers.cpp ·
// phases.cpp std::barrier · latches.cpp · waiting.cpp futexes, condition variables, joining ·
// pieces.cpp memory that is accessed in different sizes · loops.cpp repeated states · own_stack.cpp
// what of a stack is the thread's own · lifetimes.cpp memory that is freed · stuck.cpp who can
// never go on · twins.cpp identical threads · certainty.cpp what is found in an execution that may
// turn out not to exist · misuse.cpp who uses what is to be destroyed · process_end.cpp what runs
// when the process ends.
#pragma once

#include <cstddef>
#include <cstdint>

#include "explore/estimator.hpp"
#include "program/heap.hpp"
#include "program/machine.hpp"
#include "program/options.hpp"
#include "program/shadow.hpp"
#include "program/snapshot.hpp"
#include "program/thread.hpp"
#include "program/totals.hpp"
#include "program/twins.hpp"

namespace fencepost::checker {

// What lies at an address. A mutex, a futex queue and an atomic object may share one.
enum class ObjectKind : std::uint8_t {
  atomic,
  mutex,
  futex_queue,
  condition,
  membarrier,
  spin_lock,
  rwlock,       // several words, each a location of its own: read_write_locks.cpp
  rwlock_word,  // one that is one word
  semaphore,
  latch,
  exit_handlers,
};

// What an atomic access may read or write: 16 bytes at most.
__extension__ using Value = unsigned __int128;

// What a read-modify-write makes of a value.
template <typename T>
constexpr T result_of(What what, T old, T operand) {
  switch (what) {
    case What::fetch_add:
      return static_cast<T>(old + operand);
    case What::fetch_sub:
      return static_cast<T>(old - operand);
    case What::fetch_and:
      return old & operand;
    case What::fetch_or:
      return old | operand;
    case What::fetch_xor:
      return old ^ operand;
    case What::fetch_nand:
      return static_cast<T>(~(old & operand));
    default:
      return operand;  // an exchange
  }
}

struct Object {
  std::uintptr_t address;
  std::uint8_t size;
  ObjectKind kind;
};

// How an operation changes the word of a lock or a semaphore.
struct WordChange {
  ObjectKind kind;
  What what;
  std::uintptr_t address;
  std::uint8_t word = 0;      // which of the object's words,
  std::uint8_t more = 0;      // and how many of those that follow
  std::uint64_t initial = 0;  // of a word that nobody has changed yet
  std::uint16_t condition =
      0;  // 0: always; else kCompare with kIfClear or kIfAny, kAwait if it waits
  std::uint64_t operand = 0;
  std::uint64_t add = 0;
  std::uint64_t note = 0;  // kept with the write
  // What is added, and kept, instead if the value has some of the bits of `operand`, without a
  // condition; 0: the same.
  std::uint64_t otherwise = 0;
  std::uint64_t note_otherwise = 0;
  Block why = Block::none;
  bool acquires = true;
  bool releases = false;
  bool may_repeat = false;
  bool begins_section = false;
};

// A plain write to an atomic object: announced before it is done, its value is picked up at the
// thread's next call.
struct PendingWrite {
  EventId event;
  std::uintptr_t address;
  bool known;  // the graph has its value, which must be the same again
};

struct Violation {
  bool found;
  const char* kind;
  char message[512];
  unsigned thread;
  std::uint64_t pc;
  EventId highlight[8];
  unsigned highlights;
  // The plain access that this one clashes with, null if there is none: what it was, before which
  // event of its thread.
  const char* other;
  EventId other_before;
  std::uint64_t other_pc;
  std::uintptr_t address;
};

// The checker runs on the stacks of the program, and what it leaves there lies in the gaps of the
// frames that the program makes next, where it would tell states apart that are the same. So it is
// cleared away (interface/entry.hpp): bytes, a multiple of 64, that passing an event uses, and that
// adding one uses. Clearing too little costs executions that are told apart; clearing more costs
// time with every event, and more than the search itself before long.
inline constexpr std::uint32_t kPassingUses = 192;  // a load or a store, without waiting
inline constexpr std::uint32_t kReplayUses = 320;
inline constexpr std::uint32_t kWaitingUses = 384;
inline constexpr std::uint32_t kAccessUses = 768;  // a new load or store
inline constexpr std::uint32_t kAddingUses = 1152;

// Two accesses that race, or the second of which comes too late to be waited for, unless the
// model's own happens-before orders them when the execution is over.
struct Suspicion {
  const char* kind;
  PlainAccess earlier;
  PlainAccess now;
  bool atomic;  // `earlier` is an event
  std::uintptr_t address;
  std::uint64_t pc;
  char message[256];
};

// What is called when the process ends, by which kind of end.
enum class ExitList : std::uint8_t { exit, quick_exit };
enum class EndsBy : std::uint8_t { main_returns, exit, quick_exit, at_once };

enum class Ended : std::uint8_t {
  complete,  // every thread finished
  blocked,   // some thread could not go on
  dropped,   // inconsistent: counts for nothing
  stopped,   // a violation or something unsupported
};

class Runtime {
 public:
  // ---- life cycle (runtime.cpp)
  void initialise(const Options& options);
  [[noreturn]] void check(int (*program_main)(int, char**, char**), int argc, char** argv,
                          char** envp);

  bool active = false;  // an execution is going on; otherwise entry points act directly
  bool in_program = false;
  Thread* current = nullptr;
  Options options;
  Explorer explorer;
  Estimator estimator{explorer};
  Heap heap;
  Shadow shadow;
  Snapshot snapshot;
  Twins twins;
  Violation violation{};
  const char* inconclusive = nullptr;  // why there is no verdict
  bool can_go_on = false;              // but the exploration can go on from here
  std::uint64_t inconclusive_pc = 0;

  Totals totals{};
  volatile bool interrupted = false;
  volatile std::uint64_t heartbeat = 0;    // goes up with every event
  std::uint32_t stack_used = kReplayUses;  // of the program's stack, by the call that is under way

  // Is this the program's: its data, heap, stacks or thread-local variables?
  bool is_program_memory(std::uintptr_t address) const { return shadow.covers(address); }
  Thread& thread(unsigned id) { return threads_[id]; }
  unsigned thread_count() const { return thread_count_; }
  Graph& graph() { return explorer.graph(); }
  double seconds() const;

  // ---- the search (runtime.cpp); by this process, or by a worker of its (crew.hpp, worker.hpp)
  Ended run_once();
  // Counts an execution; false if the exploration is over with it.
  bool tally(Ended how);
  // Runs the graph's execution, which has just ended so, once more: does the same come of it? If
  // not, there is no verdict.
  bool happens_again(Ended how);
  void probe();
  void probe_once();
  bool progress_is_due();
  // Says which in `inconclusive`; what is left may then be explored another time. The clock is not
  // for every time.
  bool limit_is_met(const Totals& so_far, bool look_at_clock);
  // After a fork.
  void prepare_worker();
  Places places();

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

  // ---- threads
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
  Event* replay(Kind kind, What what, std::uint64_t pc);
  // The program does the same again, or there is no verdict: of the event that replay gave, at
  // `location` (at the address of an atomic object); of a write, with this value.
  void same(bool is_same, std::uint64_t pc) {
    if (!is_same) [[unlikely]]
      not_the_same(pc);
  }
  void same_object(const Event& e, std::uintptr_t address, unsigned size, std::uint64_t pc) {
    const Object& o = objects_[e.location];
    same(o.address == address && e.size == size && o.kind == ObjectKind::atomic, pc);
  }
  // Is the event one of this word of a lock or a queue?
  bool is_of_word(const Event& e, ObjectKind kind, std::uintptr_t address, unsigned word) const {
    const Object& o = objects_[e.location];
    return o.address == address && o.kind == kind && (kind != ObjectKind::rwlock || o.size == word);
  }
  void same_word(const Event& e, ObjectKind kind, std::uintptr_t address, unsigned word,
                 std::uint64_t pc) {
    same(is_of_word(e, kind, address, word), pc);
  }
  void same_write(const Event& write, const Event& like, Value value, std::uint64_t pc);
  [[noreturn]] void not_the_same(std::uint64_t pc);
  // Passes the thread's next event, of Kind::join, if the graph has it.
  bool repeats(What what, std::uint64_t pc);
  // Waits until it is this thread's turn to add an event.
  void before_new_event(std::uint64_t pc);
  EventId last_event() { return event_id(current->id, current->cursor - 1); }
  Graph::Clock clock() { return graph().hb(last_event()); }
  void switch_to_scheduler();
  void give_way();
  void block(Block why, std::uint64_t pc, std::uint64_t object, LocationId location);
  void wake(Thread& thread);

  std::uint32_t choose(What what, std::uint32_t options, std::uint64_t pc);
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
  std::uint64_t read_event(Event& e, const Parts* parts = nullptr);
  void write_event(Event& e, const Parts* parts = nullptr);

  // ---- pieces.cpp
  // Is this a piece of memory that is accessed in different sizes?
  bool is_cut(LocationId id);
  std::uint32_t kind_and_cuts(LocationId id);

  // ---- accesses.cpp
  // `may_repeat`: called from an entry point that kept the registers, see loops.cpp.
  Value load(std::uintptr_t address, unsigned size, Order order, std::uint64_t pc, bool may_repeat);
  void store(std::uintptr_t address, unsigned size, Value value, Order order, std::uint64_t pc);
  Value modify(What what, std::uintptr_t address, unsigned size, Value operand, Order order,
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
  void light_fence(std::uint64_t pc);
  void heavy_fence(std::uint64_t pc);
  std::uint64_t nonatomic_fetch_add(std::uintptr_t address, unsigned size, std::uint64_t operand,
                                    std::uint64_t pc);
  void plain(std::uintptr_t address, std::size_t size, bool write, std::uint64_t pc);
  void look_at(std::uintptr_t word, std::size_t size, std::uint64_t pc);
  void settle_plain_writes() {
    if (!pending_[current->id].empty()) pick_up_plain_writes();
  }

  // ---- lifetimes.cpp
  void freed(std::uintptr_t address, std::size_t size, std::uint64_t pc);

  // ---- passing.hpp
  template <typename T>
  bool pass_load(const volatile T* p, Order order, std::uint64_t pc, T* value);
  template <typename T>
  bool pass_store(volatile T* p, T value, Order order, std::uint64_t pc);
  template <typename T>
  bool pass_modify(What what, volatile T* p, T operand, Order order, std::uint64_t pc, T* old);
  template <typename T>
  bool pass_compare_exchange(volatile T* p, const T* expected, T desired, Order success,
                             Order failure, bool weak, std::uint64_t pc);
  bool pass_fence(Order order, std::uint64_t pc);

  // ---- lock_words.cpp
  bool lock_mutex(std::uintptr_t address, std::uint64_t pc, bool may_repeat = false);
  bool try_lock_mutex(std::uintptr_t address, std::uint64_t pc, bool may_repeat);
  void unlock_mutex(std::uintptr_t address, std::uint64_t pc);
  void initialise_mutex(std::uintptr_t address, std::uint64_t pc);
  std::uint64_t mutex_owner(std::uintptr_t address);  // thread + 1 by the newest write, 0: free
  void lock_spin(std::uintptr_t address, std::uint64_t pc);
  bool try_lock_spin(std::uintptr_t address, std::uint64_t pc);
  bool unlock_spin(std::uintptr_t address, std::uint64_t pc);  // false: the caller does not hold it
  bool take_from_semaphore(std::uintptr_t address, std::uint64_t initial, bool waits,
                           std::uint64_t pc, bool may_repeat);
  // The value before.
  std::uint64_t post_semaphore(std::uintptr_t address, std::uint64_t initial, std::uint64_t pc);
  std::uint64_t semaphore_value(std::uintptr_t address, std::uint64_t initial, std::uint64_t pc);
  void initialise_word(ObjectKind kind, What what, std::uintptr_t address, std::uint64_t value,
                       std::uint64_t pc, std::uint8_t more = 0);

  // ---- read_write_locks.cpp
  struct Rwlock {
    std::uintptr_t address;
    bool writers_first;  // a writer that waits keeps readers out
  };
  struct RwlockUse {
    bool waits;
    bool announces;  // a writer that others see waiting, where writers go first
    bool may_repeat;
  };
  void initialise_rwlock(const Rwlock& lock, std::uint64_t pc);
  bool lock_to_read(const Rwlock& lock, const RwlockUse& use, std::uint64_t pc);
  bool lock_to_write(const Rwlock& lock, const RwlockUse& use, std::uint64_t pc);
  bool unlock_rwlock(const Rwlock& lock, std::uint64_t pc);  // false: the caller has no part
  struct Held {
    bool writing;
    unsigned reading;  // how often
  };
  Held rwlock_held(const Rwlock& lock);  // by the current thread
  // A thread that holds the lock, kMaxThreads if there is none.
  unsigned rwlock_holder(const Rwlock& lock);

  // ---- barriers.cpp
  enum class Meeting : std::uint8_t { posix, standard, latch };
  struct Barrier {
    std::uintptr_t address;
    std::uint64_t incarnation;  // tells a barrier from an earlier one at the same address
    std::uint64_t expected;     // arrivals that end its first round
    Meeting kind = Meeting::posix;
    bool completes = false;  // a std::barrier with a function that is called at the end of a round
  };
  struct Arrival {
    std::uint64_t count = 1;  // arrivals that it stands for
    bool drops = false;       // one arrival less is expected in later rounds
    bool waits = true;        // and does nothing else until the round is full
    bool asks = false;        // will call serial_at_barrier
    bool claims = false;      // is the last of its round, says it: phases.cpp
  };
  // Returns the round.
  std::uint64_t arrive_at_barrier(const Barrier& barrier, const Arrival& arrival, std::uint64_t pc);
  // Until it is over; and if it is completed by a function, that is so or not, too.
  enum class Until : std::uint8_t { all_have_arrived, completed };
  void wait_for_round(const Barrier& barrier, std::uint64_t round, Until until, std::uint64_t pc);
  // Is the caller, which has passed, the one of its round that is told so?
  bool serial_at_barrier(const Barrier& barrier, std::uint64_t round, std::uint64_t pc);
  // Somebody who waits in a round that is not full, kInitial if there is nobody.
  EventId waits_at_barrier(const Barrier& barrier);
  std::uint64_t arrivals_missing(const Barrier& barrier, std::uint64_t round);
  struct Round {
    std::uint64_t number;
    std::uint64_t expected;  // arrivals
    std::uint64_t known;     // ... that the current thread knows of
  };
  // The round that the current thread would arrive in.
  Round round_to_come(const Barrier& barrier);

  // ---- phases.cpp
  std::uint64_t arrive_in_phase(const Barrier& barrier, Arrival arrival, std::uint64_t pc);
  // Is it for the caller, who has just arrived, to call the function that ends the phase?
  bool completes_phase(const Barrier& barrier, std::uint64_t phase, std::uint64_t pc);
  void phase_is_complete(const Barrier& barrier, std::uint64_t phase, std::uint64_t pc);
  void wait_for_phase(const Barrier& barrier, std::uint64_t phase, std::uint64_t pc);
  // Can it be, as far as it has gone or as an execution that is over, that those were the last of
  // their phases that say so?
  bool phases_are_possible(bool over);

  // ---- latches.cpp
  struct Latch {
    std::uintptr_t address;
    std::uint64_t expected;
  };
  void make_latch(const Latch& latch, std::uint64_t pc);
  void count_down(const Latch& latch, std::uint64_t by, std::uint64_t pc);
  void wait_for_latch(const Latch& latch, std::uint64_t pc);
  bool latch_is_open(const Latch& latch, std::uint64_t pc);

  // ---- misuse.cpp
  // A thread that the current one knows to hold the mutex or spin lock, or to sleep on the
  // condition variable; kMaxThreads if there is none.
  unsigned known_holder(std::uintptr_t mutex, ObjectKind kind = ObjectKind::mutex);
  unsigned known_sleeper(std::uintptr_t condition);

  // ---- waiting.cpp
  // With --timeouts: does this timed wait run out of time? Each thread chooses so once at most.
  bool chooses_timeout(std::uint64_t pc);
  enum class Waited : std::uint8_t { woken, changed, timed_out, spurious };
  Waited leaves_early(bool timed, std::uint64_t pc);
  // `mask`: a wake-up reaches a futex waiter only if their masks have a bit in common.
  Waited futex_wait(std::uintptr_t address, std::uint32_t expected, std::uint32_t mask, bool timed,
                    std::uint64_t pc);
  int wake_waiters(ObjectKind kind, std::uintptr_t address, unsigned count, std::uint32_t mask,
                   std::uint64_t pc);
  Waited condition_wait(std::uintptr_t condition, std::uintptr_t mutex, bool timed,
                        std::uint64_t pc);
  // A thread that is blocked on the object, kMaxThreads if there is none.
  unsigned waits_for_object(std::uintptr_t address);
  // `asks`: for the result, which it returns.
  void* join(unsigned id, bool asks, std::uint64_t pc);
  // What the kernel knows of the process: its registration for a command of membarrier, 0 or 1.
  void register_membarrier(unsigned command, bool before_main, std::uint64_t pc);
  bool membarrier_registered(unsigned command, std::uint64_t pc);

  // ---- loops.cpp
  // A hash of everything that decides what the thread does next, apart from shared memory.
  std::uint64_t private_state(std::uint64_t pc);
  // Blocks the thread for good if it is about to repeat an iteration that changed nothing.
  void cut_repetition(std::uint64_t state, std::uint64_t pc);

  // ---- own_stack.cpp
  void to_memory(std::uintptr_t address, unsigned size, Value value);
  std::uint64_t hash_own_stack(std::uint64_t h, std::uintptr_t from);
  void believe_private(std::uint32_t since);
  void idle(std::uint64_t pc);

  // ---- unseen_code.cpp
  // At the beginning and the end of an entry point, where code is linked that is not instrumented.
  void notice_unseen_writes();
  void leave_memory();

  // ---- stuck.cpp
  // At the end of an execution in which some thread is blocked: is that for ever? True if all who
  // are blocked are daemons: then the execution is complete.
  bool judge_blocked();
  bool is_daemon(const Thread& thread) const;

  // ---- process_end.cpp
  // By atexit and its kin, also before main.
  void at_exit(ExitList list, const ExitHandler& handler, std::uint64_t pc);
  // The destructor of a thread-local object.
  void at_thread_end(const ExitHandler& handler, std::uint64_t pc);
  void begin_main();
  [[noreturn]] void end_process(EndsBy by, int status, std::uint64_t pc);

  // ---- certainty.cpp
  // Does the model admit the execution as far as it has gone?
  bool certain();
  // Stops the thread that has done wrong until the execution is over.
  [[noreturn]] void put_aside();
  // At the end of an execution: is it one, and what becomes of what was put aside or suspected?
  void judge_execution();

  // ---- leaks.cpp
  // At the end of an execution: heap blocks that nothing leads to any more.
  void judge_leaks();

  Ended ended = Ended::complete;
  bool exited = false;  // exit was called: who is blocked ends with the process
  bool main_returned = false;

 private:
  bool passes_quickly() const;
  bool pass_plain(std::uintptr_t address, std::size_t size, bool write, std::uint64_t pc);
  [[gnu::noinline]] void plain_and_all(std::uintptr_t address, std::size_t size, bool write,
                                       std::uint64_t pc);
  bool may_pass(unsigned count) const;
  bool is_passed(EventId source) const;
  const Event* known_access(unsigned ahead, Kind kind, What what, std::uintptr_t address,
                            unsigned size, std::uint64_t pc) const;
  template <typename T>
  bool pass_rest(const Event* read, volatile T* p, T value, What what, Order order,
                 std::uint64_t pc);
  static void goes_where(Event* write, const Event& read);
  void write_value(Event* write, Value value);
  // Sixteen bytes that are accessed in different sizes: bit i, a piece begins at byte i.
  struct CutBlock {
    std::uintptr_t address;
    std::uint32_t cuts;
    LocationId first;  // its pieces have this number and those that follow
  };
  CutBlock* block_at(std::uintptr_t address);
  void number_pieces(CutBlock& block);
  static constexpr unsigned kCutsShift = 8;
  LocationId adopt_piece(std::uintptr_t address, std::uint32_t cuts);
  void cut_block(std::uintptr_t address, std::uint32_t cuts);
  [[noreturn]] void cut_memory(std::uintptr_t address, unsigned size, std::uint64_t pc);
  bool begin_anew();
  [[noreturn]] void start_over();
  LocationId pieces_at(std::uintptr_t address, unsigned size, std::uint64_t pc, std::uint8_t* more);
  void place_access(Event* e, std::uintptr_t address, unsigned size, std::uint64_t pc);
  static bool on_own_stack(const Thread& t, std::uintptr_t address) {
    return address >= t.stack_low && address < t.stack_top;
  }
  unsigned whose_stack(std::uintptr_t address) const;
  void visit_stack(Cell* cell, std::uintptr_t address, std::uint8_t mask, bool write,
                   std::uint64_t pc);
  Thread* pick();
  void* enter(Thread& thread);
  bool lets_others_go_first(EventId last);
  void start_thread(Thread& thread);
  std::uint64_t shared_memory() const;
  bool runs_at_exit(const ExitHandler& handler);
  void sort_exit_handlers();
  bool knows_that_it_is_alone();
  std::uint64_t known_exit_handlers(ExitList list);
  bool take_exit_handler(ExitList list, ExitHandler* handler, std::uint64_t pc);
  void run_exit_handlers(ExitList list, int status, std::uint64_t pc);
  void object_is_destroyed(const ExitHandler& handler, std::uint64_t pc);
  bool has_exit_handlers();
  void note_handlers_left();
  void pick_up_plain_writes();
  void keep_for_later();
  bool is_sample() const;
  void show_objects(Graph& graph);
  Waited sleep(LocationId queue, Block why, What woken, What timed_out, std::uintptr_t address,
               EventId announced, bool timed, bool timed_choice, std::uint64_t pc);
  bool change_word(const WordChange& change, std::uint64_t pc, std::uint64_t* seen = nullptr);
  // A change that is none, `half` 0, or the read half of one.
  const Event& read_word(const WordChange& change, std::uint16_t half, std::uint64_t pc);
  void write_word(ObjectKind kind, What what, std::uintptr_t address, std::uint64_t value,
                  Order order, std::uint16_t flags, std::uint64_t pc, std::uint8_t more = 0);
  void prepare_words(const Event& e, std::uint64_t initial);
  bool words_untouched(LocationId first, std::uint8_t more);
  void come_to(const Barrier& barrier, What what, std::uint64_t value, std::uint16_t flags,
               std::uint64_t pc);
  void wake_at_barrier(std::uintptr_t address);
  [[noreturn]] void turn_away(const Barrier& barrier, const Round& round, const Arrival& arrival,
                              std::uint64_t pc);
  EventId completion_of(const Barrier& barrier, std::uint64_t phase);
  Barrier as_barrier(const Latch& latch);
  [[noreturn]] void counts_too_far(const Latch& latch, std::uint64_t by, std::uint64_t left,
                                   std::uint64_t pc);
  void come_after(What what, EventId earlier, std::uint64_t pc, std::uint16_t flags = 0);
  void name_holders(LocationId rwlock, char* text, std::size_t size);
  void say_what_for(const Thread& thread, char* message, std::size_t size);
  struct RwlockWords {
    ObjectKind kind;
    std::uint8_t own;                 // the word that the current thread reads under
    std::uint8_t more;                // those that are written under, besides the first
    std::uint64_t keeps_readers_out;  // bits of the own word
    std::uint64_t keeps_writers_out;  // ... of all words
    std::uint64_t writer;
    std::uint64_t waiting;       // a writer that waits, 0 where nobody cares
    std::uint64_t most_waiting;  // there can be no more of them
  };
  RwlockWords words_of(const Rwlock& lock);
  // Of the lock whose first word this is.
  Held rwlock_held_by(unsigned thread, LocationId first, std::uint32_t events);
  unsigned rwlock_holder(LocationId first);
  void come_after_readers(std::uint64_t pc);
  bool announce_writer(const Rwlock& lock, bool takes, std::uint64_t pc);
  void withdraw_writer(const Rwlock& lock, std::uint64_t pc);
  EventId last_write_of(unsigned thread, LocationId location, std::uint32_t events,
                        std::uint8_t more = 0);
  void add_fence(What what, Order order, std::uint16_t flags, std::uint64_t pc);
  std::uint64_t futex_value(const Event& read, std::uintptr_t address);
  EventId enter_queue(ObjectKind kind, std::uintptr_t address, What what, std::uint64_t pc);
  void write_queue(LocationId queue, What what, EventId read, std::uint64_t value, std::uint64_t pc,
                   std::uint32_t mask = ~0U);
  std::uint64_t reached_by(LocationId queue, EventId read, std::uint32_t mask);
  void clashes_with(const PlainAccess& earlier, std::uintptr_t address);
  void race(const Cell* cell, const PlainAccess& access, std::uintptr_t address, const char* now,
            std::uint64_t pc);
  bool unordered(const Suspicion& s);
  void must_not_free_locks(std::uintptr_t address, std::size_t size, std::uint64_t pc);
  // What a thread has ended the life of, after so many events of its own.
  struct EndOfLife {
    std::uintptr_t address;
    std::size_t size;
    std::uint32_t index;
    unsigned thread;
    std::uint64_t pc;
  };
  Heap::Block& heap_block(std::uintptr_t address, const char* what, std::uint64_t pc);
  [[noreturn]] void is_freed(const Heap::Block& block, std::uintptr_t address, const char* what,
                             std::uint64_t pc);
  void check_heap(std::uintptr_t address, const char* what, std::uint64_t pc);
  void come_first(Cell* cell, std::uintptr_t address, const char* what, std::uint64_t pc);
  void enter_end(Cell* cell, std::uintptr_t address, const EndOfLife& end);
  void plain_meets_atomic(Cell* cell, std::uintptr_t address, unsigned mask, bool write,
                          std::uint64_t pc);
  void check_atomic_access(std::uintptr_t address, unsigned size, bool write, std::uint64_t pc);

  Thread threads_[kMaxThreads] = {};
  Array<PendingWrite> pending_[kMaxThreads];
  // What others have done to a thread's stack in this execution (own_stack.cpp).
  struct StackWrite {
    std::uintptr_t word;
    unsigned char before[8];
    std::uint32_t index;  // events of the writing thread before it
    std::uint8_t thread;
    std::uint8_t mask;
  };
  struct StackAtomic {
    std::uintptr_t word;
    std::uint8_t mask;
    unsigned char first[8];
    unsigned char last[8];
  };
  struct Shown {
    std::uintptr_t word;
    std::uint8_t mask;
    unsigned char memory[8];
  };
  Array<StackWrite> stack_writes_[kMaxThreads];
  StackAtomic& stack_atomic(unsigned owner, std::uintptr_t word);
  Array<StackAtomic> stack_atomics_[kMaxThreads];
  Array<Shown> shown_;
  unsigned thread_count_ = 0;
  std::uint64_t memory_left_ = 0;  // a hash of memory as the program was left with it
  bool replaying_ = false;
  int turn_ = -1;  // the thread that may add events without asking
  // In samples: a hash of the plain accesses of an execution, thread by thread.
  bool tracing_ = false;
  std::uint64_t trace_[kMaxThreads] = {};
  void* scheduler_stack_ = nullptr;
  std::uintptr_t own_thread_pointer_ = 0;
  Array<Object> objects_;
  Array<CutBlock> blocks_;
  bool begin_anew_ = false;
  struct HiddenSlot {
    std::uintptr_t key;
    LocationId id;
  };
  Array<HiddenSlot> hidden_;
  std::uint32_t hidden_used_ = 0;
  Array<EndOfLife> destroyed_;                  // static objects, in this execution
  Array<LocationId> heap_locks_;                // hidden objects that somebody may hold or sleep on
  std::uint32_t registered_before_main_ = 0;    // commands of membarrier
  Array<ExitHandler> started_with_[2];          // registered before main; by ExitList
  Array<ExitHandler> thread_started_with_;      // of main's thread
  Array<ExitHandler> registered_[kMaxThreads];  // by each thread in this execution
  unsigned ending_ = kMaxThreads;               // the thread that runs them
  bool objects_moved_ = false;   // the shadow may speak of objects of another execution
  bool nobody_is_last_ = false;  // of a phase of a std::barrier that is full
  Violation aside_{};
  Array<Suspicion> suspicions_;
  double started_ = 0;
  double last_progress_ = 0;
  std::uint64_t seen_before_ = 0;  // executions of former sittings
};

extern Runtime runtime;

}  // namespace fencepost::checker
